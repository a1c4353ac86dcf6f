/**
 * Whether an ending stands for good. What began is never begun again under the same key. Of what did not begin, a plain "no"
 * stands; one that says "later" (a decision that is awaited, a limit, a server on its way up) is asked again.
 */
import type { Answer } from "../../kernel/call.ts";

export const isFinal = ({ ending, outcome }: Pick<Answer, "ending" | "outcome">, began: boolean): boolean => {
  if (began) return true;
  if (ending.kind !== "refusal") return false;
  const { kind, retryable } = ending.refusal;
  return !retryable && kind !== "idempotency_conflict" && (outcome === "denied" || outcome === "skipped");
};
