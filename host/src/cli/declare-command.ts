/** The command that declares what is missing, as it is shown at a terminal: with the number of names that it leaves out. */
import { declareCommand as commandFor, MOST_NAMED } from "../kernel/declare-command.ts";

export const declareCommand = (missing: readonly string[]): string => {
  const more = new Set(missing).size - MOST_NAMED;
  return more > 0 ? `${commandFor(missing)} (and ${more} more)` : commandFor(missing);
};
