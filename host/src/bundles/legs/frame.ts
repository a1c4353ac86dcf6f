/**
 * Writes requests and notices to an upstream in its dialect. Params and foreign `_meta` are spliced in as they came; the
 * progress token is always our own, because progress is the sign of life that deadlines look for.
 */
import type { RawJson } from "../../kernel/raw-json.ts";

export const MODERN_VERSION = "2026-07-28";
export const LEGACY_VERSIONS: readonly string[] = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"];

/** How one upstream is spoken to. */
export interface Dialect {
  readonly era: "legacy" | "modern";
  readonly version: string;
  /** Members that every request's `_meta` carries, each followed by a comma. */
  readonly envelope: string;
}

export const clientInfo = (hostVersion: string): string => JSON.stringify({ name: "bailiwick", version: hostVersion });

/** Nothing is declared that would let the server ask the caller something. */
export const modernDialect = (hostVersion: string): Dialect => ({
  era: "modern",
  version: MODERN_VERSION,
  envelope:
    `"io.modelcontextprotocol/protocolVersion":"${MODERN_VERSION}","io.modelcontextprotocol/clientCapabilities":{},` +
    `"io.modelcontextprotocol/clientInfo":${clientInfo(hostVersion)},"io.modelcontextprotocol/logLevel":"info",`,
});

export const legacyDialect = (version: string): Dialect => ({ era: "legacy", version, envelope: "" });

export interface Outgoing {
  readonly method: string;
  readonly params: string;
  readonly meta: string;
}

export const frameRequest = (id: number, request: Outgoing, dialect: Dialect): string => {
  const params = request.params === "" ? "" : `${oneLine(request.params)},`;
  const meta = request.meta === "" ? "" : `${oneLine(request.meta)},`;
  return (
    `{"jsonrpc":"2.0","id":${id},"method":"${request.method}",` +
    `"params":{${params}"_meta":{${dialect.envelope}${meta}"progressToken":${id}}}}`
  );
};

export const frameNotification = (method: string, params = ""): string =>
  `{"jsonrpc":"2.0","method":"${method}"${params === "" ? "" : `,"params":{${params}}`}}`;

export const frameResult = (id: RawJson): string => `{"jsonrpc":"2.0","id":${id},"result":{}}`;

export const frameError = (id: RawJson, code: number, message: string): string =>
  `{"jsonrpc":"2.0","id":${id},"error":{"code":${code},"message":${JSON.stringify(message)}}}`;

/** A line break between tokens is a blank to JSON and the end of the message to a pipe; inside strings there is none. */
const oneLine = (text: string): string =>
  text.includes("\n") || text.includes("\r") ? text.replaceAll("\n", " ").replaceAll("\r", " ") : text;
