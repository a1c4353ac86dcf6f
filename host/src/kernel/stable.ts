/**
 * Canonical text chp-stable-v1: what evidence is written and hashed in. Members by code point of the key, `, ` and `: `,
 * ASCII only. A number that is no safe integer becomes a string, a lone surrogate U+FFFD; absent members are left out.
 */
const PLAIN = /^[ !#-[\]-~]*$/;
const SPECIAL = /[^ !#-[\]-~]/g;
const SURROGATE = /[\ud800-\udfff]/;
const SHORT: Readonly<Record<string, string>> = {
  '"': '\\"',
  "\\": "\\\\",
  "\b": "\\b",
  "\t": "\\t",
  "\n": "\\n",
  "\f": "\\f",
  "\r": "\\r",
};

const escape = (unit: string): string => SHORT[unit] ?? `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;

/** The canonical text of one string, with its quotes. */
export const stableString = (text: string): string =>
  PLAIN.test(text) ? `"${text}"` : `"${text.toWellFormed().replace(SPECIAL, escape)}"`;

/** UTF-16 order puts surrogates before U+E000..U+FFFF, code point order after them. */
const byCodePoint = (a: string, b: string): number => {
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i++) {
    const x = a.charCodeAt(i);
    const y = b.charCodeAt(i);
    if (x !== y) {
      const xAstral = x >= 0xd800 && x <= 0xdfff;
      const yAstral = y >= 0xd800 && y <= 0xdfff;
      return xAstral === yAstral ? x - y : xAstral ? 1 : -1;
    }
  }
  return a.length - b.length;
};

const stableNumber = (value: number): string =>
  Number.isSafeInteger(value) ? String(value === 0 ? 0 : value) : `"${String(value)}"`;

const stableArray = (items: readonly unknown[]): string => {
  if (items.length === 0) return "[]";
  let text = "[";
  for (let i = 0; i < items.length; i++) text += (i === 0 ? "" : ", ") + stable(items[i]);
  return `${text}]`;
};

/** Keys that differ only in lone surrogates fall together; the last one wins, as in any JSON reader. */
const joinAstral = (object: Readonly<Record<string, unknown>>, keys: readonly string[]): string => {
  const members = new Map<string, unknown>();
  for (const key of keys) if (object[key] !== undefined) members.set(key.toWellFormed(), object[key]);
  const sorted = [...members.keys()].toSorted(byCodePoint);
  return `{${sorted.map((key) => `${stableString(key)}: ${stable(members.get(key))}`).join(", ")}}`;
};

const stableObject = (object: Readonly<Record<string, unknown>>): string => {
  const keys = Object.keys(object);
  for (const key of keys) if (SURROGATE.test(key)) return joinAstral(object, keys);
  if (keys.length > 1) keys.sort();
  let text = "";
  for (const key of keys) {
    const value = object[key];
    if (value === undefined) continue;
    text += `${text === "" ? "" : ", "}${stableString(key)}: ${stable(value)}`;
  }
  return `{${text}}`;
};

/** The canonical text of plain data, as `JSON.parse` makes it. */
export const stable = (value: unknown): string => {
  switch (typeof value) {
    case "string":
      return stableString(value);
    case "number":
      return stableNumber(value);
    case "boolean":
      return value ? "true" : "false";
    case "bigint":
      return stableNumber(Number(value)) === String(value) ? String(value) : `"${String(value)}"`;
    case "object":
      if (value === null) return "null";
      return Array.isArray(value) ? stableArray(value) : stableObject(value as Record<string, unknown>);
    default:
      return "null";
  }
};
