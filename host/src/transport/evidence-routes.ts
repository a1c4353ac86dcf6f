/**
 * The routes on which evidence is read, proved and taken along. What the reader may not see is as if it were not there; that
 * is decided where evidence is kept.
 */
import type { ExportFormat } from "../kernel/archive.ts";
import { Refusal } from "../kernel/refusal.ts";
import { isStillKnown } from "./authenticate.ts";
import type { ListenerDeps } from "./listener-deps.ts";
import { oneOfFew } from "./one-of-few.ts";
import { readEventQuery, readExportQuery, readVerifyQuery } from "./read-evidence-query.ts";
import { ok, type RestAsk, type RestRoute } from "./rest-route.ts";
import { sendParts } from "./send-parts.ts";

type Run = RestRoute["run"];

const ENDINGS: Readonly<Record<ExportFormat, string>> = {
  bundle: "bundle.json",
  jsonl: "jsonl",
  csv: "csv",
  otel: "otlp.json",
};

export const createEvidenceRoutes = (deps: ListenerDeps): [string, RestRoute][] => {
  const { archive } = deps;
  // What takes seconds is not in the way of what takes none.
  const [few, fewLong] = [oneOfFew(), oneOfFew()];
  const list: Run = async ({ caller, query }) => {
    const { events, before } = await archive.events(caller.principal, readEventQuery(query));
    return ok({ events, nextCursor: before === null ? null : String(before) });
  };
  const show: Run = async ({ caller, argument }) => {
    const event = await archive.event(caller.principal, argument);
    if (event === null) throw unknownEvent();
    return ok(event);
  };
  const trace: Run = async ({ caller, argument }) => ok(await archive.trace(caller.principal, argument));
  const verify: Run = async ({ caller, query }) => ok(await archive.verify(caller.principal, readVerifyQuery(query)));
  const exported: Run = async ({ res, caller, query }: RestAsk) => {
    const order = readExportQuery(query);
    const { type, parts } = archive.export(caller.principal, order);
    const headers = {
      "Content-Type": type,
      "Content-Disposition": `attachment; filename="evidence.${ENDINGS[order.format]}"`,
      "X-Content-Type-Options": "nosniff",
      "Cache-Control": "private, no-store",
    };
    // A key that is revoked in the middle gets no more of it.
    await sendParts(res, { parts, headers, goesOn: () => isStillKnown(deps, caller) });
    return null;
  };
  return [
    ["GET /v1/evidence", { run: few(list) }],
    ["GET /v1/evidence/export", { run: fewLong(exported) }],
    ["GET /v1/evidence/verify", { run: fewLong(verify) }],
    ["GET /v1/evidence/*", { run: few(show) }],
    ["GET /v1/evidence/trace/*", { run: few(trace) }],
  ];
};

const unknownEvent = (): Refusal =>
  new Refusal("not_found", {
    message: "There is no such event, or it is not yours to see.",
    next: "List those there are: GET /v1/evidence. Permission evidence:read shows those of others.",
  });
