/**
 * What a grant says about the arguments: SHA-256 of their chp-stable-v1 text, in hex. That form has no fractions; here they
 * are written as RFC 8785 writes them, where evidence would make strings of them.
 */
import { hash } from "node:crypto";
import { stableString } from "../../kernel/stable.ts";

/** By code point, which is the order of the UTF-8 bytes. */
const byCodePoint = ([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number =>
  Buffer.compare(Buffer.from(a), Buffer.from(b));

const textOf = (value: unknown): string => {
  if (typeof value === "string") return stableString(value);
  if (typeof value === "number") return String(value === 0 ? 0 : value);
  if (typeof value === "boolean") return String(value);
  if (typeof value !== "object" || value === null) return "null";
  if (Array.isArray(value)) return `[${value.map(textOf).join(", ")}]`;
  const members = new Map(Object.entries(value).map(([key, member]) => [key.toWellFormed(), member as unknown]));
  const sorted = [...members].toSorted(byCodePoint);
  return `{${sorted.map(([key, member]) => `${stableString(key)}: ${textOf(member)}`).join(", ")}}`;
};

export const payloadCommitment = (args: Readonly<Record<string, unknown>>): string => hash("sha256", textOf(args));
