/**
 * One question that a stage asks about a call. The stage and `explain` ask the same function, so what is explained is what
 * happens.
 */
import type { Refusal } from "./refusal.ts";

export interface Check<Call> {
  /** As `explain` names it: `allowed_actors`, `max_risk_tier`, `schema`. */
  readonly name: string;
  /** Null: it passes. Touches nothing. */
  readonly judge: (call: Call) => Refusal | null;
  /** Why it passes, in a few words; only asked by `explain`. */
  readonly why: (call: Call) => string;
}
