/** How generators are chosen, as `capabilities://generators` tells it: from the very table that the host chooses by. */
import { FALLBACK, SELECTION_RULES } from "./select-generator.ts";

export const SELECTION_STRATEGY = {
  type: "indicator_match",
  explanation:
    "The rules are tried in order and the first that fires decides. A type that a config names and that does not exist is " +
    "refused; no other generator is chosen for it.",
  fallback: FALLBACK,
  rules: SELECTION_RULES.map(({ id, when, type, confidence }, at) => ({
    id,
    priority: at + 1,
    when,
    // Null: the one that the config names.
    generator: type,
    confidence,
  })),
} as const;
