import { classifyInboundRequest } from "@modelcontextprotocol/server";
import { describe, expect, it } from "vitest";
import { classifyRequest } from "./classify-request.ts";
import { META_CAPABILITIES, META_CLIENT_INFO, META_LOG_LEVEL, META_VERSION, MODERN_VERSION } from "./protocol.ts";

const FULL = { [META_VERSION]: MODERN_VERSION, [META_CAPABILITIES]: {} };
const message = (method: string, meta?: object, more: object = {}): object => ({
  jsonrpc: "2.0",
  id: 1,
  method,
  params: meta === undefined ? {} : { _meta: meta },
  ...more,
});
const notice = (method: string, meta?: object): object => ({ ...message(method, meta), id: undefined });

interface Case {
  readonly what: string;
  readonly method?: string;
  readonly version?: string;
  readonly mcpMethod?: string;
  readonly body?: unknown;
  /** `legacy kind`, `modern kind` or `status code`. */
  readonly ours: string;
  /** Why the SDK's answer, given here, is not ours. */
  readonly sdk?: string;
  readonly because?: string;
}

const CASES: readonly Case[] = [
  { what: "GET", method: "GET", ours: "legacy http-method" },
  { what: "DELETE", method: "DELETE", ours: "legacy http-method" },
  { what: "a string", body: "x", ours: "400 -32600" },
  { what: "null", body: null, ours: "400 -32600" },
  { what: "no jsonrpc", body: { id: 1, method: "ping" }, ours: "400 -32600" },
  { what: "an id of null", body: message("ping", undefined, { id: null }), ours: "400 -32600" },
  { what: "a fraction as id", body: message("ping", undefined, { id: 1.5 }), ours: "400 -32600" },
  { what: "an id beyond exact integers", body: message("ping", undefined, { id: 2 ** 60 }), ours: "400 -32600" },
  { what: "params as array", body: message("ping", undefined, { params: [1] }), ours: "400 -32600" },
  { what: "method as number", body: message("ping", undefined, { method: 7 }), ours: "400 -32600" },
  { what: "request and result at once", body: message("ping", undefined, { result: {} }), ours: "400 -32600" },
  {
    what: "an unknown member beside params",
    body: message("ping", undefined, { extra: 1 }),
    ours: "legacy request",
    sdk: "400 -32600",
    because: "JSON-RPC does not forbid it, and nothing of it is sent on",
  },
  { what: "an empty array", body: [], ours: "400 -32600" },
  { what: "an array of requests", body: [message("ping"), notice("notifications/x")], ours: "legacy batch" },
  { what: "an array with a modern request", body: [message("ping"), message("ping", FULL)], ours: "400 -32600" },
  { what: "an array with rubbish", body: [message("ping"), 7], ours: "400 -32600" },
  { what: "a result", body: { jsonrpc: "2.0", id: 1, result: {} }, ours: "legacy response" },
  { what: "an error", body: { jsonrpc: "2.0", id: 1, error: { code: 1, message: "m" } }, ours: "legacy response" },
  { what: "initialize", body: message("initialize"), ours: "legacy initialize" },
  { what: "initialize, legacy header", version: "2025-06-18", body: message("initialize"), ours: "legacy initialize" },
  { what: "initialize, modern header", version: MODERN_VERSION, body: message("initialize"), ours: "400 -32020" },
  { what: "initialize, whole envelope", body: message("initialize", FULL), ours: "modern request" },
  {
    what: "initialize, half an envelope",
    body: message("initialize", { [META_VERSION]: "x" }),
    ours: "legacy initialize",
  },
  { what: "whole envelope", version: MODERN_VERSION, body: message("tools/list", FULL), ours: "modern request" },
  { what: "whole envelope, no header", body: message("tools/list", FULL), ours: "modern request" },
  { what: "no capabilities", body: message("x", { [META_VERSION]: MODERN_VERSION }), ours: "400 -32602" },
  { what: "capabilities as text", body: message("x", { ...FULL, [META_CAPABILITIES]: "all" }), ours: "400 -32602" },
  { what: "version as number", body: message("x", { ...FULL, [META_VERSION]: 3 }), ours: "400 -32602" },
  { what: "unknown log level", body: message("x", { ...FULL, [META_LOG_LEVEL]: "loud" }), ours: "400 -32602" },
  { what: "client info as text", body: message("x", { ...FULL, [META_CLIENT_INFO]: "me" }), ours: "400 -32602" },
  { what: "header of another version", version: "2025-11-25", body: message("x", FULL), ours: "400 -32020" },
  { what: "another method in the header", mcpMethod: "y", body: message("x", FULL), ours: "400 -32020" },
  {
    what: "a version nobody speaks",
    version: "2027-01-01",
    body: message("x", { ...FULL, [META_VERSION]: "2027-01-01" }),
    ours: "400 -32022",
    sdk: "modern request",
    because: "the SDK compares versions in a later step; ours has one place for all of rule 3",
  },
  {
    what: "a legacy version in the envelope",
    body: message("x", { ...FULL, [META_VERSION]: "2025-11-25" }),
    ours: "400 -32022",
    sdk: "modern request",
    because: "as above",
  },
  { what: "modern header, no envelope", version: MODERN_VERSION, body: message("x"), ours: "400 -32602" },
  {
    what: "modern header, envelope without version",
    version: MODERN_VERSION,
    body: message("x", {}),
    ours: "400 -32602",
  },
  { what: "no header, no envelope", body: message("tools/list"), ours: "legacy request" },
  { what: "legacy header, no envelope", version: "2025-11-25", body: message("x"), ours: "legacy request" },
  { what: "legacy notification", body: notice("notifications/initialized"), ours: "legacy notification" },
  { what: "notification with envelope", body: notice("notifications/x", FULL), ours: "modern notification" },
  { what: "notification, modern header", version: MODERN_VERSION, body: notice("n"), ours: "modern notification" },
  { what: "notification, version as number", body: notice("n", { [META_VERSION]: 1 }), ours: "400 -32602" },
  { what: "notification, other header", version: "2025-11-25", body: notice("n", FULL), ours: "400 -32020" },
  {
    what: "notification, other method",
    version: MODERN_VERSION,
    mcpMethod: "m",
    body: notice("n"),
    ours: "400 -32020",
  },
];

const clean = (body: unknown): unknown => (body === undefined ? undefined : JSON.parse(JSON.stringify(body)));

const ourVerdict = ({ method = "POST", version, mcpMethod, body }: Case): string => {
  const facts = { httpMethod: method, versionHeader: version, methodHeader: mcpMethod, body: clean(body) };
  const said = classifyRequest(facts);
  return "refusal" in said ? `${said.status} ${said.code}` : `${said.era} ${said.kind}`;
};

const SDK_KINDS: Readonly<Record<string, string>> = { "no-claim": "request" };

const sdkVerdict = ({ method = "POST", version, mcpMethod, body }: Case): string => {
  const said = classifyInboundRequest({
    httpMethod: method,
    ...(version !== undefined && { protocolVersionHeader: version }),
    ...(mcpMethod !== undefined && { mcpMethodHeader: mcpMethod }),
    body: clean(body),
  });
  if (said.kind === "reject") return `${said.httpStatus} ${said.code}`;
  return said.kind === "legacy" ? `legacy ${SDK_KINDS[said.reason] ?? said.reason}` : `modern ${said.messageKind}`;
};

describe("which era a request belongs to", () => {
  it.each(CASES)("$what: $ours", (row) => {
    expect(ourVerdict(row)).toBe(row.ours);
  });

  it.each(CASES)("the SDK says the same of $what, or the table says why not", (row) => {
    expect(sdkVerdict(row)).toBe(row.sdk ?? row.ours);
    expect(row.because !== undefined).toBe(row.sdk !== undefined);
  });
});
