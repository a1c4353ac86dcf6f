/**
 * The id that an oversized answer carries, found in what is kept of it. Only places where nothing but a top-level member
 * can stand are looked at: what a tool returned must not name another call.
 */
const AT_START = /^\s*\{\s*(?:"jsonrpc"\s*:\s*"2\.0"\s*,\s*)?"id"\s*:\s*(\d{1,15})\s*,/;
const AT_END =
  /\}\s*,\s*(?:"jsonrpc"\s*:\s*"2\.0"\s*,\s*)?"id"\s*:\s*(\d{1,15})\s*(?:,\s*"jsonrpc"\s*:\s*"2\.0"\s*)?\}\s*$/;

export const sniffId = (head: string, tail: string): number | null => {
  const found = AT_START.exec(head) ?? (/^\s*\{\s*"(?:result|error|jsonrpc)"/.test(head) ? AT_END.exec(tail) : null);
  return found ? Number(found[1]) : null;
};
