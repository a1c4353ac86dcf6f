/** Replay, verification and export of one correlation. One that is not known, or not for this reader, has no events. */
import type { ReplayQuery } from "../../kernel/archive.ts";
import type { ListenerDeps } from "../listener-deps.ts";
import { oneOfFew } from "../one-of-few.ts";
import type { JsonObject } from "../protocol.ts";
import { sendParts } from "../send-parts.ts";
import { bad, ok } from "./chp-answers.ts";
import type { ChpRoute } from "./chp-parts.ts";
import { readChpBody } from "./read-chp-body.ts";
import { isId } from "./read-id.ts";

const DEFAULT_LIMIT = 1000;
const MAX_LIMIT = 10_000;

type Deps = Pick<ListenerDeps, "archive" | "identify">;

export const createEvidenceRoutes = (deps: Deps): readonly [string, ChpRoute["run"]][] => {
  const few = oneOfFew();
  return routesOf(deps).map(([at, run]) => [at, few(run)]);
};

const routesOf = ({ archive, identify }: Deps): readonly [string, ChpRoute["run"]][] => [
  [
    "GET /replay/",
    async ({ caller, argument, query }) =>
      ok(await archive.replay(caller.principal, readReplay(argument, fromQuery(query)))),
  ],
  [
    "POST /replay",
    async ({ req, caller }) => {
      const { value } = await readChpBody(req);
      return ok(await archive.replay(caller.principal, readReplay(value["correlation_id"], value)));
    },
  ],
  [
    "GET /verify/",
    async ({ caller, argument }) => ok(await archive.verify(caller.principal, readCorrelation(argument))),
  ],
  [
    "GET /export/",
    async ({ res, caller, argument, query }) => {
      const correlation = readCorrelation(argument);
      const payloads = readFlag(fromQuery(query)["include_payloads"]);
      const { type, parts } = archive.export(caller.principal, { format: "bundle", correlation, payloads });
      await sendParts(res, {
        parts,
        headers: { "Content-Type": type },
        goesOn: () => identify(caller.presented, "chp") !== null,
      });
      return null;
    },
  ],
];

const readCorrelation = (id: unknown): string => {
  if (typeof id === "string" && isId(id)) return id;
  throw bad('"correlation_id" is no string of 1 to 256 printable ASCII characters.', "Send the id of a correlation.");
};

/** What a query says in words, as JSON would. */
const fromQuery = (query: URLSearchParams): JsonObject => {
  const value: Record<string, unknown> = {};
  for (const [name, text] of query) {
    value[name] = /^\d{1,15}$/.test(text) ? Number(text) : text === "true" ? true : text === "false" ? false : text;
  }
  return value;
};

const readReplay = (id: unknown, value: JsonObject): ReplayQuery => ({
  correlationId: readCorrelation(id),
  limit: readNumber(value["limit"], "limit", { least: 1, most: MAX_LIMIT, absent: DEFAULT_LIMIT }),
  sinceSequence: readNumber(value["since_sequence"], "since_sequence", {
    least: 0,
    most: Number.MAX_SAFE_INTEGER,
    absent: 0,
  }),
  includePayloads: readFlag(value["include_payloads"]),
});

interface Bounds {
  readonly least: number;
  readonly most: number;
  readonly absent: number;
}

const readNumber = (value: unknown, name: string, { least, most, absent }: Bounds): number => {
  if (value === undefined || value === null) return absent;
  if (typeof value === "number" && Number.isInteger(value) && value >= least && value <= most) return value;
  throw bad(`"${name}" is no integer from ${least} to ${most}.`, "Send one, or leave it out.");
};

const readFlag = (value: unknown): boolean => {
  if (value === undefined || value === null) return true;
  if (typeof value === "boolean") return value;
  throw bad('"include_payloads" is not a boolean.', "Send true or false, or leave it out.");
};
