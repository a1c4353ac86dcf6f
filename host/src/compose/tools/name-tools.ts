/** Calls that an answer names, under the names that the caller's endpoint has for them. Pure. */
import { isObject } from "../../kernel/is-object.ts";

type Details = Readonly<Record<string, unknown>>;

/** What tells of calls; all else in an answer is data. */
const TELLING = ["next", "suggestion", "message"] as const;

/** `names`: those of compose. On its own endpoint they are what they are. */
export const nameTools = (names: readonly string[]): ((told: Details, endpoint: string | null) => Details) => {
  const calls = new RegExp(`(?<![\\w-])(${names.join("|")})(?![\\w-])`, "g");
  const rename = (value: unknown): unknown => {
    if (typeof value === "string") return value.replace(calls, "compose__$1");
    return Array.isArray(value) ? value.map(rename) : value;
  };
  const renameIn = (holder: Details): Details => {
    const renamed = TELLING.flatMap((key) => (key in holder ? [[key, rename(holder[key])] as const] : []));
    return { ...holder, ...Object.fromEntries(renamed) };
  };
  return (told, endpoint) => {
    const { error } = told;
    if (endpoint === "compose" || !isObject(error)) return told;
    const { details } = error;
    return { ...told, error: { ...renameIn(error), ...(isObject(details) ? { details: renameIn(details) } : {}) } };
  };
};
