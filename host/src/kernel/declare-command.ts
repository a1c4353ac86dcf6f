/**
 * How people are told of environment capabilities that are missing. Bundles choose the names and how many there are, so a
 * text has a few of them and the number of the others; the list itself stands beside it. Pure.
 */
import { canBeTyped, shellWord } from "./shell-word.ts";

export const MOST_NAMED = 8;

/** "a, b", or "a, b and 3 more". */
export const nameSome = (names: readonly string[]): string => {
  const more = names.length - MOST_NAMED;
  return more > 0 ? `${names.slice(0, MOST_NAMED).join(", ")} and ${more} more` : names.join(", ");
};

/** Declares all of them, or of many the first ones: a command with "and 3 more" in it would declare these words. */
export const declareCommand = (missing: readonly string[]): string => {
  const names = [...new Set(missing)].slice(0, MOST_NAMED);
  const words = names.every(canBeTyped) ? names.map(shellWord).join(" ") : "<name>...";
  return `bailiwick capabilities add ${words}`;
};
