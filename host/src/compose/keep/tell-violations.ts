/** What is wrong with a config in a few words: the first violation, and how many more there are. */
import type { Violation } from "../configs/config-reading.ts";

const MAX_TOLD = 200;

export const tellViolations = ([first, ...rest]: readonly Violation[]): string => {
  const told = `${first?.pointer ?? ""} ${first?.message ?? ""}`.trim().slice(0, MAX_TOLD).toWellFormed();
  return rest.length === 0 ? told : `${told}, and ${rest.length} more`;
};
