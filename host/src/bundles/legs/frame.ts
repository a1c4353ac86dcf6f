/**
 * Writes requests and notices to an upstream in its dialect. Params and foreign `_meta` are spliced in as they came; the
 * progress token is always our own, because progress is the sign of life that deadlines look for.
 */
import type { AskAnswer } from "../../kernel/ask.ts";
import type { ProviderRequest } from "../../kernel/provider.ts";
import type { RawJson } from "../../kernel/raw-json.ts";

export const MODERN_VERSION = "2026-07-28";
export const LEGACY_VERSIONS: readonly string[] = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"];

/** How one upstream is spoken to. */
export interface Dialect {
  readonly era: "legacy" | "modern";
  readonly version: string;
  /** Of a modern server: members of every request's `_meta`, up to what is declared. */
  readonly envelope: string;
}

export const clientInfo = (hostVersion: string): string => JSON.stringify({ name: "bailiwick", version: hostVersion });

const UI = `"extensions":{"io.modelcontextprotocol/ui":{"mimeTypes":["text/html;profile=mcp-app"]}}`;

/** What the host can serve, declared once to a legacy server: whom a question is for is seen when it comes. */
export const LEGACY_CAPABILITIES = `{"elicitation":{"form":{},"url":{}},"sampling":{"tools":{}},"roots":{},${UI}}`;

/** What the host declares in its own name, when it lists or listens. */
const OWN_CAPABILITIES = `{${UI}}`;

export const modernDialect = (hostVersion: string): Dialect => ({
  era: "modern",
  version: MODERN_VERSION,
  envelope:
    `"io.modelcontextprotocol/protocolVersion":"${MODERN_VERSION}",` +
    `"io.modelcontextprotocol/clientInfo":${clientInfo(hostVersion)},"io.modelcontextprotocol/clientCapabilities":`,
});

export const legacyDialect = (version: string): Dialect => ({ era: "legacy", version, envelope: "" });

export interface Outgoing {
  readonly method: string;
  readonly params: string;
  readonly meta: string;
  /** The call that it carries; absent when the host asks for itself. */
  readonly call?: ProviderRequest;
}

export const frameRequest = (id: number, request: Outgoing, dialect: Dialect): string => {
  const params = request.params === "" ? "" : `${oneLine(request.params)},`;
  const meta = request.meta === "" ? "" : `${oneLine(request.meta)},`;
  const head = `{"jsonrpc":"2.0","id":${id},"method":"${request.method}","params":{${params}`;
  const tail = `${meta}"progressToken":${id}}}}`;
  if (dialect.era === "legacy") return `${head}"_meta":{${tail}`;
  return `${head}${inputOf(request)}"_meta":{${envelopeOf(request, dialect)}${tail}`;
};

/** What this very caller declared, never more: a server may use all of it. */
const envelopeOf = ({ call }: Outgoing, { envelope }: Dialect): string => {
  if (!call) return `${envelope}${OWN_CAPABILITIES},`;
  const level = call.listener.level();
  const log = level === null ? "" : `"io.modelcontextprotocol/logLevel":${JSON.stringify(level)},`;
  return `${envelope}${oneLine(call.asker.declared.json)},${log}`;
};

const inputOf = ({ call }: Outgoing): string => {
  const input = call?.input;
  if (!input) return "";
  const responses = input.responses === null ? "" : `"inputResponses":${oneLine(input.responses)},`;
  return input.state === null ? responses : `${responses}"requestState":${oneLine(input.state)},`;
};

export const frameNotification = (method: string, params = ""): string =>
  `{"jsonrpc":"2.0","method":"${method}"${params === "" ? "" : `,"params":{${params}}`}}`;

/** The answer to a request of the server. */
export const frameAnswer = (id: RawJson, { kind, json }: AskAnswer): string =>
  `{"jsonrpc":"2.0","id":${id},"${kind}":${oneLine(json)}}`;

/** A line break between tokens is a blank to JSON and the end of the message to a pipe; inside strings there is none. */
const oneLine = (text: string): string =>
  text.includes("\n") || text.includes("\r") ? text.replaceAll("\n", " ").replaceAll("\r", " ") : text;
