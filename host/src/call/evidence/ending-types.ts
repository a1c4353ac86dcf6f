/** The event that ends a call, by its outcome. */
import type { Outcome } from "../../kernel/evidence.ts";

export const ENDING_TYPES: Readonly<Record<Outcome, string>> = {
  success: "execution_completed",
  failure: "execution_failed",
  denied: "execution_denied",
  skipped: "execution_skipped",
  indeterminate: "execution_indeterminate",
};
