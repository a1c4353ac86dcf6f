/**
 * What the rooms say to the evidence log. Objects inside a draft are already canonical text (chp-stable-v1, see
 * `stable.ts`), because the log's worker only joins, hashes and writes.
 */
export type Outcome = "success" | "failure" | "denied" | "skipped" | "indeterminate";

export interface Correlation {
  readonly id: string;
  readonly causationId: string | null;
  readonly parentId: string | null;
  readonly traceId: string | null;
  /** True when the host made the id for this very call: then no earlier event can have it. */
  readonly fresh: boolean;
}

export interface EvidenceDraft {
  /** `execution_started` opens an invocation, the five other `execution_*` types end it. */
  readonly type: string;
  readonly invocationId: string;
  readonly capabilityId: string;
  readonly capabilityVersion: string | null;
  readonly correlation: Correlation;
  readonly outcome: Outcome | null;
  /** chp-stable-v1 text of an object. */
  readonly payload: string;
  /** chp-stable-v1 text of an object, or `null`. */
  readonly subject: string;
  readonly error: string;
  readonly denial: string;
}

export interface EvidenceReceipt {
  readonly eventId: string;
  readonly sequence: number;
}

export interface EvidenceLog {
  /**
   * Resolves when the event is as durable as `evidence.durability` says. Rejects with the Refusal `evidence_unavailable`
   * when the store cannot write; from then on `writable()` is false until it can again.
   */
  append(draft: EvidenceDraft): Promise<EvidenceReceipt>;
  writable(): boolean;
  close(): Promise<void>;
}
