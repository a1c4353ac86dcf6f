/** Two plain values as one: objects member by member, lists as asked, of everything else the later one. Neither is changed. */
import { jcs } from "../../kernel/jcs.ts";
import { isKeptNumber } from "./kept-number.ts";

export type ArrayMerge = "concat" | "replace" | "unique";

/** A number that is kept as it was written is none. */
export const isMembers = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value) && !isKeptNumber(value);

const textOf = (value: unknown): string => (isKeptNumber(value) ? JSON.stringify(value) : jcs(value));

const mergeLists = (a: readonly unknown[], b: readonly unknown[], arrays: ArrayMerge): readonly unknown[] => {
  if (arrays === "replace") return b;
  if (arrays === "concat") return [...a, ...b];
  const seen = new Map<string, unknown>();
  for (const item of [...a, ...b]) {
    const text = textOf(item);
    if (!seen.has(text)) seen.set(text, item);
  }
  return [...seen.values()];
};

export const deepMerge = (a: unknown, b: unknown, arrays: ArrayMerge): unknown => {
  if (Array.isArray(a) && Array.isArray(b)) return mergeLists(a, b, arrays);
  if (!isMembers(a) || !isMembers(b)) return b;
  const members = new Map(Object.entries(a));
  for (const [key, value] of Object.entries(b))
    members.set(key, members.has(key) ? deepMerge(members.get(key), value, arrays) : value);
  // Unlike an assignment, this makes a member of `__proto__` too.
  return Object.fromEntries(members);
};
