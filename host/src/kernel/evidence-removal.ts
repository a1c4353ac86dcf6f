/** What people take out of the evidence for good. That something went, who asked for it and why stays. */
import type { Principal } from "./principal.ts";

export interface PurgeAsked {
  readonly correlation: string;
  readonly reason: string;
}

export interface RedactionAsked {
  /** Event id or sequence. */
  readonly event: string;
  readonly reason: string;
}

export interface Purged {
  readonly correlation: string;
  /** How many went. */
  readonly events: number;
}

export interface Redacted {
  readonly sequence: number;
  readonly event_id: string;
}

/** Refusals: `not_found` for what `by` may not see, `protected`, `run_in_progress` for a call that has not ended. */
export interface EvidenceRemoval {
  /** All events of a correlation, with the answers and payloads that are kept of its calls. */
  purge(order: PurgeAsked, by: Principal): Promise<Purged>;
  /** The payload of one event, with what is kept beside it. */
  redact(order: RedactionAsked, by: Principal): Promise<Redacted>;
}
