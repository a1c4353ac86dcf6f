/**
 * Canonical JSON of RFC 8785: members by UTF-16 code unit of the key, no blanks, ECMAScript numbers, strings raw.
 * It never throws on what `JSON.parse` makes. Where the RFC has no form for a value, it writes one that no other value
 * has: a lone surrogate as its escape, a number beyond the doubles (`1e400`) as `Infinity`.
 */
const jcsArray = (items: readonly unknown[]): string => {
  if (items.length === 0) return "[]";
  let text = "[";
  for (let i = 0; i < items.length; i++) text += (i === 0 ? "" : ",") + jcs(items[i]);
  return `${text}]`;
};

const jcsObject = (object: Readonly<Record<string, unknown>>): string => {
  const keys = Object.keys(object);
  if (keys.length > 1) keys.sort();
  let text = "";
  for (const key of keys) {
    const value = object[key];
    if (value === undefined) continue;
    text += `${text === "" ? "" : ","}${JSON.stringify(key)}:${jcs(value)}`;
  }
  return `{${text}}`;
};

/** The canonical text of plain data, as `JSON.parse` makes it. */
export const jcs = (value: unknown): string => {
  switch (typeof value) {
    case "string":
      return JSON.stringify(value);
    case "number":
      return String(value === 0 ? 0 : value);
    case "boolean":
      return value ? "true" : "false";
    case "object":
      if (value === null) return "null";
      return Array.isArray(value) ? jcsArray(value) : jcsObject(value as Record<string, unknown>);
    default:
      return "null";
  }
};
