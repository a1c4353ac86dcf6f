/** The evidence of this very process, for the local person. */
import type { Archive, ExportQuery } from "../kernel/archive.ts";
import type { Principal } from "../kernel/principal.ts";
import { Refusal } from "../kernel/refusal.ts";
import type { EvidenceControl } from "./evidence-control.ts";

const LATEST = { limit: 100 };
const WHOLE: ExportQuery = { format: "jsonl", payloads: true };

type Read = Pick<Archive, "events" | "event" | "trace" | "verify" | "export">;

export const controlEvidence = (archive: Read, reader: Principal): EvidenceControl => ({
  events: (query) => archive.events(reader, { ...LATEST, ...query }),
  async event(id) {
    const event = await archive.event(reader, id);
    if (event !== null) return event;
    throw new Refusal("not_found", {
      message: `There is no event ${JSON.stringify(id.slice(0, 80))}, or it is not yours to see.`,
      next: "List those there are: bailiwick evidence tail",
    });
  },
  trace: (correlationId) => archive.trace(reader, correlationId),
  verify: (correlationId) => archive.verify(reader, correlationId),
  async *export(query) {
    yield* archive.export(reader, { ...WHOLE, ...query }).parts;
  },
});
