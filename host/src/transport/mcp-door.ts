/**
 * The MCP endpoints: `/mcp` and `/mcp/providers/<provider>`. Checks a request cheapest first, reads and parses its body
 * once, decides its era, and hands it to that era's door. Host and Origin were checked by the listener.
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import { admitToken } from "./admit-token.ts";
import { authenticate, type Caller } from "./authenticate.ts";
import { classifyRequest } from "./classify-request.ts";
import type { DoorParts } from "./door-parts.ts";
import { doorRefusal, type DoorRefusal } from "./door-refusal.ts";
import type { HttpExchange } from "./exchange.ts";
import { isJsonBody } from "./is-json-body.ts";
import type { LegacyAnswers } from "./legacy-answers.ts";
import { createLegacyDoor } from "./legacy-door.ts";
import { readMessage } from "./message.ts";
import type { ModernAnswers } from "./modern-answers.ts";
import { createModernDoor } from "./modern-door.ts";
import { openWorkspace } from "./open-workspace.ts";
import { parseBody, type ParsedBody } from "./parse-body.ts";
import { isModernVersion, type JsonObject } from "./protocol.ts";
import { readAccept, type Accepts } from "./read-accept.ts";
import { readBody, type Body } from "./read-body.ts";
import { internalErrorText, refusalText } from "./rpc-text.ts";
import { requestIdOf } from "./request-id-of.ts";
import { sendJson } from "./send-json.ts";
import type { Sessions } from "./sessions.ts";
import { surfaceOf } from "./surface-of.ts";
import { unknownProvider } from "./unknown-provider.ts";

/** A promise only for a token that has to be verified or a workspace that has to be opened first. */
export type McpDoor = (req: IncomingMessage, res: ServerResponse, provider: string | null) => Promise<void> | void;

interface Entrance {
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
  readonly provider: string | null;
}

/** What both wires answer with. */
export interface DoorAnswers {
  readonly legacy: LegacyAnswers;
  readonly modern: ModernAnswers;
}

export const createMcpDoor = (parts: DoorParts, answers: DoorAnswers, sessions: Sessions): McpDoor => {
  const { deps } = parts;
  const maxBytes = deps.limits.maxRequestBytes;
  const legacy = createLegacyDoor(parts, answers.legacy, sessions);
  const modern = createModernDoor(parts, answers.modern);

  const exchangeOf = (entrance: Entrance, caller: Caller, accepts: Accepts): HttpExchange | DoorRefusal => {
    const { req, res, provider } = entrance;
    const { presented, principal, verified } = caller;
    if (provider !== null && deps.surfaces.of(principal, provider) === null) return unknownProvider(provider);
    const surface = surfaceOf(deps.surfaces, principal, provider);
    const { headers } = req;
    return { req, res, headers, provider, presented, principal, verified, accepts, surface };
  };

  /** Null: it is answered, or will be. */
  const dispatch = (exchange: HttpExchange, body: ParsedBody): DoorRefusal | null => {
    const { headers } = exchange;
    const classified = classifyRequest({
      httpMethod: "POST",
      versionHeader: textOf(headers["mcp-protocol-version"]),
      methodHeader: textOf(headers["mcp-method"]),
      body: body.value,
    });
    if ("refusal" in classified) return classified;
    if (classified.era === "legacy") return legacy.post(exchange, body, classified.kind);
    void modern(exchange, readMessage(body.text, body.value as JsonObject));
    return null;
  };

  const post = (exchange: HttpExchange, bytes: Body): void => {
    const { res } = exchange;
    if (bytes === "gone") return;
    if (bytes === "too-large") return refuse(res, tooLarge(maxBytes), null);
    const body = parseBody(bytes);
    if ("refusal" in body) return refuse(res, body, null);
    const refusal = dispatch(exchange, body);
    if (refusal) refuse(res, refusal, requestIdOf(body.value));
  };

  const readAndPost = (exchange: HttpExchange): void =>
    readBody(exchange.req, maxBytes, (bytes) => {
      try {
        post(exchange, bytes);
      } catch (error) {
        deps.report(error);
        sendJson(exchange.res, { status: 500, text: internalErrorText(null) });
      }
    });

  const take = (entrance: Entrance, caller: Caller, accepts: Accepts): void => {
    const { req, res } = entrance;
    const exchange = exchangeOf(entrance, caller, accepts);
    if ("refusal" in exchange) return refuse(res, exchange, null);
    if (req.method === "POST") return readAndPost(exchange);
    const refusal = req.method === "GET" ? legacy.stream(exchange) : legacy.end(exchange);
    if (refusal) refuse(res, refusal, null);
  };

  /** Everything that can be refused without the body comes before it. */
  const enter = (entrance: Entrance): Promise<void> | void => {
    const { req, res } = entrance;
    const accepts = acceptsOf(req);
    if ("refusal" in accepts) return refuse(res, accepts, null);
    const caller = authenticate(deps, req, "mcp");
    if ("refusal" in caller) return refuse(res, caller, null);
    const opening = openWorkspace(deps, req, caller);
    if (opening === null) return take(entrance, caller, accepts);
    return opening.then((refusal) => (refusal ? refuse(res, refusal, null) : take(entrance, caller, accepts)));
  };

  return (req, res, provider) => {
    const wrong = methodDefect(req);
    if (wrong) return refuse(res, wrong, null);
    const admission = admitToken(deps, req);
    const entrance = { req, res, provider };
    if (admission === null) return enter(entrance);
    return admission.then((refusal) => (refusal ? refuse(res, refusal, null) : enter(entrance)));
  };
};

const refuse = (res: ServerResponse, refusal: DoorRefusal, id: string | null): void =>
  sendJson(res, { status: refusal.status, text: refusalText(id, refusal), headers: refusal.headers });

const textOf = (header: string | string[] | undefined): string | undefined =>
  Array.isArray(header) ? header.join(", ") : header;

/** GET and DELETE exist for legacy sessions only. */
const methodDefect = ({ method, headers }: IncomingMessage): DoorRefusal | null => {
  if (method === "POST") return null;
  const version = textOf(headers["mcp-protocol-version"]);
  const modern = version !== undefined && isModernVersion(version);
  const streamOfNothing = method === "GET" && headers["mcp-session-id"] === undefined;
  if ((method === "GET" || method === "DELETE") && !modern && !streamOfNothing) return null;
  return doorRefusal("bad_request", {
    status: 405,
    message: streamOfNothing ? "A GET here opens the stream of a session, and it names none." : `No ${method} here.`,
    next: "Send your message as POST; GET and DELETE need the Mcp-Session-Id of a legacy session.",
    headers: { Allow: modern || streamOfNothing ? "POST" : "GET, POST, DELETE" },
  });
};

const acceptsOf = ({ method, headers }: IncomingMessage): Accepts | DoorRefusal => {
  if (method === "POST" && !isJsonBody(headers)) {
    const [message, next] = [
      "The body is not declared as JSON.",
      "Send Content-Type: application/json, not compressed.",
    ];
    return doorRefusal("unsupported_type", { message, next });
  }
  const accepts = readAccept(headers.accept);
  if (accepts && (method !== "GET" || accepts.stream)) return accepts;
  return doorRefusal("bad_request", {
    status: 406,
    message: "The Accept header takes nothing that this endpoint sends.",
    next: "Send Accept: application/json, text/event-stream.",
  });
};

const tooLarge = (maxBytes: number): DoorRefusal =>
  doorRefusal("too_large", {
    message: `The body is larger than ${maxBytes} bytes.`,
    next: "Send less in one request, or raise mcp.maxRequestBytes in bailiwick.json.",
  });
