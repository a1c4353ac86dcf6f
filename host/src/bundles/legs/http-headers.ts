/**
 * Headers of a request to an upstream, computed anew from what is sent: nothing of the client's headers passes.
 */
import type { ProviderMethod } from "../../kernel/provider.ts";
import type { Exchange } from "./exchange.ts";
import type { Dialect } from "./frame.ts";

const BASE: Readonly<Record<string, string>> = {
  "content-type": "application/json",
  accept: "application/json, text/event-stream",
};
const NAMED: ReadonlySet<string> = new Set<ProviderMethod>([
  "tools/call",
  "prompts/get",
  "resources/read",
  "tasks/get",
  "tasks/update",
  "tasks/cancel",
]);

export interface HeaderFacts {
  readonly dialect: Dialect;
  readonly sessionId: string | null;
  /** Null for notifications and answers. */
  readonly exchange: Exchange | null;
}

export const headersFor = ({ dialect, sessionId, exchange }: HeaderFacts): Record<string, string> => {
  const headers: Record<string, string> = { ...BASE };
  const method = exchange?.options.method;
  if (method !== "initialize") headers["mcp-protocol-version"] = dialect.version;
  if (sessionId !== null && method !== "initialize") headers["mcp-session-id"] = sessionId;
  if (dialect.era === "legacy" || !exchange || method === undefined) return headers;
  headers["mcp-method"] = method;
  const { name } = exchange.options;
  if (name !== null && NAMED.has(method)) headers["mcp-name"] = headerValue(name);
  return headers;
};

/** Plain when every reader of headers would give it back unchanged, else base64. */
export const headerValue = (value: string): string =>
  /^[\x21-\x7e]([\t\x20-\x7e]*[\x21-\x7e])?$/.test(value) && !value.startsWith("=?base64?")
    ? value
    : `=?base64?${Buffer.from(value, "utf8").toString("base64")}?=`;
