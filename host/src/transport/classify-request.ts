/**
 * Which era a request belongs to, decided once from the HTTP method, two headers and the parsed body. Pure; the order of
 * its steps is the contract. It does not look at sessions, nor at headers that only have to agree (`check-headers.ts`).
 */
import { doorRefusal, type DoorRefusal } from "./door-refusal.ts";
import {
  isModernVersion,
  isObject,
  LOG_LEVELS,
  META_CAPABILITIES,
  META_CLIENT_INFO,
  META_LOG_LEVEL,
  META_VERSION,
  MODERN_VERSION,
  type JsonObject,
} from "./protocol.ts";

export interface RequestFacts {
  readonly httpMethod: string;
  readonly versionHeader: string | undefined;
  readonly methodHeader: string | undefined;
  /** Undefined when the HTTP method has none. */
  readonly body: unknown;
}

export type Classified =
  | { readonly era: "legacy"; readonly kind: "http-method" | "batch" | "initialize" | MessageKind | "response" }
  | { readonly era: "modern"; readonly kind: MessageKind }
  | DoorRefusal;

type MessageKind = "request" | "notification";

const LEGACY = {
  method: { era: "legacy", kind: "http-method" },
  batch: { era: "legacy", kind: "batch" },
  initialize: { era: "legacy", kind: "initialize" },
  request: { era: "legacy", kind: "request" },
  notification: { era: "legacy", kind: "notification" },
  response: { era: "legacy", kind: "response" },
} as const;
const MODERN = {
  request: { era: "modern", kind: "request" },
  notification: { era: "modern", kind: "notification" },
} as const;

export const classifyRequest = (facts: RequestFacts): Classified => {
  if (facts.httpMethod !== "POST") return LEGACY.method;
  const { body } = facts;
  if (Array.isArray(body)) return classifyBatch(body);
  const shape = shapeOf(body);
  if (shape === null || !isObject(body)) return notAMessage("The body is not a JSON-RPC message.");
  if (shape === "response") return LEGACY.response;
  return shape === "request" ? classifyCall(facts, body) : classifyNotice(facts, body);
};

const isId = (id: unknown): boolean => typeof id === "string" || Number.isSafeInteger(id);

/** What kind of JSON-RPC message this is; null: none. */
const shapeOf = (body: unknown): MessageKind | "response" | null => {
  if (!isObject(body) || body["jsonrpc"] !== "2.0") return null;
  const { id, method, params, result, error } = body;
  if (method === undefined) {
    if (error === undefined) return isId(id) && isObject(result) ? "response" : null;
    return result === undefined && isObject(error) ? "response" : null;
  }
  if (typeof method !== "string" || result !== undefined || error !== undefined) return null;
  if (params !== undefined && !isObject(params)) return null;
  if (id === undefined) return "notification";
  return isId(id) ? "request" : null;
};

const metaOf = (body: JsonObject): JsonObject | null => {
  const { params } = body;
  return isObject(params) && isObject(params["_meta"]) ? params["_meta"] : null;
};

const claims = (meta: JsonObject | null): meta is JsonObject => meta !== null && META_VERSION in meta;

const classifyBatch = (items: readonly unknown[]): Classified => {
  if (items.length === 0) return notAMessage("The body is an empty array.");
  for (const item of items) {
    if (isObject(item) && claims(metaOf(item)))
      return notAMessage(`A ${MODERN_VERSION} request cannot be in an array.`);
    if (shapeOf(item) === null) return notAMessage("An item of the array is not a JSON-RPC message.");
  }
  return LEGACY.batch;
};

const classifyCall = (facts: RequestFacts, body: JsonObject): Classified => {
  const meta = metaOf(body);
  const header = facts.versionHeader;
  const modernHeader = header !== undefined && isModernVersion(header);
  const claimed = claims(meta);
  const defect = claimed ? envelopeDefect(meta) : null;
  if (body["method"] === "initialize" && !(claimed && defect === null && isModernVersion(String(meta[META_VERSION])))) {
    return modernHeader
      ? mismatch("MCP-Protocol-Version", `initialize belongs to versions before ${header}`)
      : LEGACY.initialize;
  }
  if (claimed) {
    return defect === null ? (headerDefect(facts, body, meta) ?? MODERN.request) : badEnvelope(defect);
  }
  return modernHeader ? badEnvelope(`${META_VERSION} is missing, though the header names ${header}`) : LEGACY.request;
};

const classifyNotice = (facts: RequestFacts, body: JsonObject): Classified => {
  const meta = metaOf(body);
  const header = facts.versionHeader;
  if (claims(meta)) {
    if (typeof meta[META_VERSION] !== "string") return badEnvelope(`${META_VERSION} is not a string`);
    return headerDefect(facts, body, meta) ?? MODERN.notification;
  }
  if (header === undefined || !isModernVersion(header)) return LEGACY.notification;
  return methodDefect(facts, body) ?? MODERN.notification;
};

/** Says which member of the envelope is missing or wrong; null when it is complete. */
const envelopeDefect = (meta: JsonObject): string | null => {
  if (typeof meta[META_VERSION] !== "string") return `${META_VERSION} is not a string`;
  if (!isObject(meta[META_CAPABILITIES])) {
    return `${META_CAPABILITIES} is ${META_CAPABILITIES in meta ? "not an object" : "missing"}`;
  }
  const level = meta[META_LOG_LEVEL];
  if (level !== undefined && !LOG_LEVELS.includes(level as string)) return `${META_LOG_LEVEL} is no log level`;
  const info = meta[META_CLIENT_INFO];
  if (info === undefined) return null;
  const named = isObject(info) && typeof info["name"] === "string" && typeof info["version"] === "string";
  return named ? null : `${META_CLIENT_INFO} needs a name and a version`;
};

const headerDefect = (facts: RequestFacts, body: JsonObject, meta: JsonObject): DoorRefusal | null => {
  const version = meta[META_VERSION] as string;
  if (facts.versionHeader !== undefined && facts.versionHeader !== version) {
    return mismatch("MCP-Protocol-Version", `the body says ${shown(version)}`);
  }
  const wrong = methodDefect(facts, body);
  if (wrong) return wrong;
  return version === MODERN_VERSION ? null : unsupportedVersion(version, [MODERN_VERSION]);
};

const methodDefect = ({ methodHeader }: RequestFacts, body: JsonObject): DoorRefusal | null =>
  methodHeader === undefined || methodHeader === body["method"]
    ? null
    : mismatch("Mcp-Method", `the body says ${shown(body["method"] as string)}`);

const shown = (text: string): string => JSON.stringify(text.slice(0, 100));

const notAMessage = (message: string): DoorRefusal =>
  doorRefusal("bad_request", { message, next: "Send one JSON-RPC 2.0 request, notification or response." });

const badEnvelope = (defect: string): DoorRefusal =>
  doorRefusal("bad_request", {
    code: -32602,
    message: `The envelope in params._meta is not complete: ${defect}.`,
    next: `Send ${META_VERSION} and ${META_CAPABILITIES} in params._meta of every request.`,
  });

/** A header that is missing, badly encoded or different from what the body says. */
export const mismatch = (header: string, defect: string): DoorRefusal =>
  doorRefusal("bad_request", {
    code: -32020,
    message: `The header ${header} does not agree with the body: ${defect}.`,
    next: `Send ${header} with the body's value, or as =?base64?<value>?= where that is not plain ASCII.`,
  });

export const unsupportedVersion = (requested: string, supported: readonly string[]): DoorRefusal =>
  doorRefusal("protocol_version", {
    code: -32022,
    message: `Protocol version ${shown(requested)} is not spoken here.`,
    next: `Use one of: ${supported.join(", ")}.`,
    data: { supported, requested: requested.slice(0, 100) },
  });
