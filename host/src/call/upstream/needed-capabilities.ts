/**
 * What a caller would have had to declare for all of these questions to be put to it, in the form of
 * `requiredCapabilities`; null when it declared all of it.
 */
import type { Ask, Declared } from "../../kernel/ask.ts";
import { lacking } from "../../kernel/lacking.ts";

export const neededCapabilities = (
  questions: readonly Ask[],
  declared: Declared,
): Readonly<Record<string, unknown>> | null => {
  const needed: Record<string, unknown> = {};
  for (const ask of questions) Object.assign(needed, lacking(ask, declared));
  return Object.keys(needed).length === 0 ? null : needed;
};
