/**
 * The command that declares capabilities which are missing. Their names come from bundles: one that cannot be typed as it is
 * shown stands in no command. Pure.
 */
import { shellWord } from "../kernel/shell-word.ts";
import { visibleText } from "./visible-text.ts";

export const declareCommand = (missing: readonly string[]): string => {
  const names = [...new Set(missing)];
  const words = names.every(canBeTyped) ? names.map(shellWord).join(" ") : "<name>...";
  return `bailiwick capabilities add ${words}`;
};

const canBeTyped = (name: string): boolean => name !== "" && !name.startsWith("-") && visibleText(name) === name;
