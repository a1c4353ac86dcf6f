/**
 * What a tool requires by its own definition, `_meta.dcc.required_capabilities`. What cannot be read is told apart from
 * what is not there: ignoring it would widen authority.
 */
const NONE: readonly string[] = Object.freeze([]);

/** Every refusal repeats the list, so a server must not choose how long that is. */
const MOST_ENTRIES = 1_000;
const LONGEST_ENTRY = 1_024;

const isEntry = (item: unknown): boolean => typeof item === "string" && item.length <= LONGEST_ENTRY;

/** Null: it is there and malformed. */
export const requiredCapabilities = (definition: Readonly<Record<string, unknown>>): readonly string[] | null => {
  const meta = definition["_meta"];
  if (typeof meta !== "object" || meta === null) return NONE;
  const dcc = (meta as Record<string, unknown>)["dcc"] ?? null;
  if (dcc === null) return NONE;
  if (typeof dcc !== "object" || Array.isArray(dcc)) return null;
  const required = (dcc as Record<string, unknown>)["required_capabilities"] ?? NONE;
  return Array.isArray(required) && required.length <= MOST_ENTRIES && required.every(isEntry) ? required : null;
};
