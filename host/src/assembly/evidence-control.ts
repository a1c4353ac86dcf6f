/** The evidence for one who is known beforehand, in one workspace: what programs and the terminal may read of it. */
import type { EventPage, EventQuery, ExportQuery } from "../kernel/archive.ts";

/** As it goes onto the wire. */
export type EvidenceObject = Readonly<Record<string, unknown>>;

export interface EvidenceControl {
  /** Newest first; default: the last 100. */
  events(query?: Partial<EventQuery>): Promise<EventPage>;
  /** By event id or sequence. Refusal `not_found`. */
  event(id: string): Promise<EvidenceObject>;
  /** The six steps of each invocation of a correlation. */
  trace(correlationId: string): Promise<EvidenceObject>;
  verify(correlationId: string): Promise<EvidenceObject>;
  /** The text in pieces; default: all of it as `jsonl`, with payloads. */
  export(query?: Partial<ExportQuery>): AsyncIterable<string>;
}
