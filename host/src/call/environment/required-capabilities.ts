/**
 * What a tool requires by its own definition, `_meta.dcc.required_capabilities`. What cannot be read is told apart from
 * what is not there: ignoring it would widen authority.
 */
import { LONGEST_REQUIRED, MOST_REQUIRED } from "../../kernel/suspension.ts";

const NONE: readonly string[] = Object.freeze([]);

/** Characters are counted as where names are declared: one may be two units of a string. */
const ENTRY = new RegExp(`^.{0,${LONGEST_REQUIRED}}$`, "su");
const isEntry = (item: unknown): boolean => typeof item === "string" && ENTRY.test(item);

/** Null: it is there and malformed. */
export const requiredCapabilities = (definition: Readonly<Record<string, unknown>>): readonly string[] | null => {
  const meta = definition["_meta"];
  if (typeof meta !== "object" || meta === null) return NONE;
  const dcc = (meta as Record<string, unknown>)["dcc"] ?? null;
  if (dcc === null) return NONE;
  if (typeof dcc !== "object" || Array.isArray(dcc)) return null;
  const required = (dcc as Record<string, unknown>)["required_capabilities"] ?? NONE;
  return Array.isArray(required) && required.length <= MOST_REQUIRED && required.every(isEntry) ? required : null;
};
