/**
 * What has to be true at the very moment a call begins and is used up by it: a place within a limit, a mandate's count, an
 * approval. Stage 9 takes each in turn, without waiting in between, and writes all of them with the intent in one commit.
 */
import type { Correlation, EvidenceDraft, StateWrite } from "./evidence.ts";

export interface Taken {
  /** Durable together with `execution_started`. */
  readonly writes: readonly StateWrite[];
  /** Events that stand before it, of the same invocation; type, payload and whatever is not as in its other events. */
  readonly events?: readonly (Pick<EvidenceDraft, "type" | "payload"> & Partial<EvidenceDraft>)[];
  /** The intent could not be written: it is as if this had not been taken. */
  release(): void;
}

export interface Admission {
  /** Throws the Refusal when it is not there any more. Nothing may be taken of it then. */
  take(invocation: { readonly id: string; readonly correlation: Correlation }): Taken;
}
