/**
 * The id of a request that was too large to keep, found in its first and last bytes, as JSON text. Only places where
 * nothing but a top-level member can stand are looked at.
 */
const ID = String.raw`"id"\s*:\s*(-?\d{1,15}|"[^"\\]{0,200}")`;
const VERSION = String.raw`"jsonrpc"\s*:\s*"2\.0"`;
const AT_START = new RegExp(String.raw`^\s*\{\s*(?:${VERSION}\s*,\s*)?${ID}\s*,`);
const AT_END = new RegExp(String.raw`[}"]\s*,\s*(?:${VERSION}\s*,\s*)?${ID}\s*(?:,\s*${VERSION}\s*)?\}\s*$`);

export const oversizedId = (head: string, tail: string): string | null =>
  (AT_START.exec(head) ?? AT_END.exec(tail))?.[1] ?? null;
