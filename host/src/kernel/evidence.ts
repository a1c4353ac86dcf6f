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
  /** Its payload holds nothing but names, numbers and hashes that the host put there: no secret can be in it. */
  readonly own?: boolean;
  /** `sha256:…` of the exact call that an approval is for; absent: none. */
  readonly actionDigest?: string;
}

/** At least one. */
export type DraftsTogether = readonly [...EvidenceDraft[], EvidenceDraft];

/** Records beside the log, which are read back whole when the host starts. */
export type StateSpace =
  | "approval"
  | "standing"
  | "limit"
  | "mandate"
  | "revocation"
  | "witness"
  | "anchor"
  | "lifecycle"
  | "key"
  | "in-force";

/** Replaces what has the same key; null takes it out. */
export interface StateWrite {
  readonly space: StateSpace;
  readonly key: string;
  /** One line of text. */
  readonly value: string | null;
  /** A correlation: when that is purged, this goes too. */
  readonly goesWith?: string;
}

/** Events that were written together. */
export interface EventGroup {
  /** Of the last of them. */
  readonly sequence: number;
  readonly count: number;
}

/** Those that a call began with. */
export interface BegunEvents extends EventGroup {
  readonly eventIds: readonly string[];
}

/** An answer that is given again when the same call comes again. */
export interface Reply {
  /** 128 bits of a hash, in hex. */
  readonly key: string;
  /** One line of text. */
  readonly text: string;
  /** Earlier events of the call, which are given back with those that it is written with. */
  readonly begun?: BegunEvents | undefined;
}

/** What is durable in the same commit as its event, or not at all. */
export interface Beside {
  readonly state?: readonly StateWrite[];
  readonly reply?: Reply;
  /** Arguments and result of a call, one line of text; kept encrypted, under a key that retention can destroy. */
  readonly payload?: string;
}

/** An answer as it was kept, and what the log has with it: that does not stand in it itself. */
export interface KeptReply {
  readonly text: string;
  /** Of `begun`, and of the events that were written with it. */
  readonly eventIds: readonly string[];
  /** As the last of them has it; null: it cannot be read. */
  readonly call: LoggedCall | null;
}

export interface LoggedCall extends Pick<
  EvidenceDraft,
  "invocationId" | "correlation" | "outcome" | "capabilityId" | "capabilityVersion"
> {
  /** When that event was written, ms since the epoch. */
  readonly at: number;
  /** The same of the first of `begun`; null: there is none. */
  readonly begunAt: number | null;
}

export interface HostState {
  /** Everything of a space as it was when the log was opened. */
  entries(space: StateSpace): Iterable<readonly [key: string, value: string]>;
  /** The latest answer with this key that is not older than 24 hours, committed ones only. One seek. */
  reply(key: string): KeptReply | null;
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
  append(draft: EvidenceDraft, beside?: Beside): Promise<EvidenceReceipt>;
  /** The same for several in this order, in one commit or not at all; `beside` belongs to the last. */
  appendAll(drafts: DraftsTogether, beside?: Beside): Promise<readonly EvidenceReceipt[]>;
  writable(): boolean;
  close(): Promise<void>;
}
