/** The evidence of a host in another process. */
import type { EventPage } from "../kernel/archive.ts";
import { askHost, readRefusal, type Ask, type HostQuestion, type Reachable } from "./ask-host.ts";
import type { EvidenceControl, EvidenceObject } from "./evidence-control.ts";

type Values = Readonly<Record<string, string | number | boolean | undefined>>;

const get = (path: string, values: Values = {}): HostQuestion => {
  const given = Object.entries(values).flatMap(([key, value]) =>
    value === undefined ? [] : [[key, String(value)] as const],
  );
  const query = new URLSearchParams(Object.fromEntries(given)).toString();
  return { method: "GET", path: query === "" ? path : `${path}?${query}` };
};

interface Listed extends Pick<EventPage, "events"> {
  readonly nextCursor: string | null;
}

export const attachEvidence = (host: Reachable, ask: Ask): EvidenceControl => ({
  async events({ before, ...filters } = {}) {
    const { events, nextCursor } = await ask<Listed>(get("/v1/evidence", { ...filters, cursor: before }), "events");
    return { events, before: nextCursor === null ? null : Number(nextCursor) };
  },
  event: (id) => ask<EvidenceObject>(get(`/v1/evidence/${encodeURIComponent(id)}`)),
  trace: (correlation) => ask<EvidenceObject>(get(`/v1/evidence/trace/${encodeURIComponent(correlation)}`)),
  verify: (correlation) => ask<EvidenceObject>(get("/v1/evidence/verify", { correlation })),
  async *export(query = {}) {
    const reply = await askHost(host, get("/v1/evidence/export", { ...query }));
    if (reply.status !== 200) throw readRefusal(reply);
    yield reply.text;
  },
});
