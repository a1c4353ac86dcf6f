/**
 * The MCP endpoints: `/mcp` and `/mcp/providers/<provider>`. Checks a request cheapest first, reads and parses its body
 * once, decides its era, and hands it to that era's door. Host and Origin were checked by the listener.
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import { HostError } from "../kernel/host-error.ts";
import type { Surface } from "../kernel/surface.ts";
import { createAnswerCall } from "./answer-call.ts";
import { authenticate } from "./authenticate.ts";
import { classifyRequest } from "./classify-request.ts";
import type { DoorParts } from "./door-parts.ts";
import { doorRefusal, type DoorRefusal } from "./door-refusal.ts";
import type { Exchange } from "./exchange.ts";
import { isJsonBody } from "./is-json-body.ts";
import { createLegacyDoor } from "./legacy-door.ts";
import { readMessage } from "./message.ts";
import { createModernDoor } from "./modern-door.ts";
import { parseBody, type ParsedBody } from "./parse-body.ts";
import { isModernVersion, isObject, type JsonObject } from "./protocol.ts";
import { readAccept, type Accepts } from "./read-accept.ts";
import { readBody } from "./read-body.ts";
import { refusalText } from "./rpc-text.ts";
import { sendJson } from "./send-json.ts";
import type { Sessions } from "./sessions.ts";

export type McpDoor = (req: IncomingMessage, res: ServerResponse, provider: string | null) => Promise<void>;

export const createMcpDoor = (parts: DoorParts, sessions: Sessions): McpDoor => {
  const { deps } = parts;
  const maxBytes = deps.limits.maxRequestBytes;
  const answerCall = createAnswerCall(parts);
  const legacy = createLegacyDoor(parts, answerCall, sessions);
  const modern = createModernDoor(parts, answerCall);

  /** Everything that can be refused without the body. */
  const admit = (req: IncomingMessage, res: ServerResponse, provider: string | null): Exchange | DoorRefusal => {
    const accepts = acceptsOf(req);
    if ("refusal" in accepts) return accepts;
    const caller = authenticate(deps, req, "mcp");
    if ("refusal" in caller) return caller;
    const { presented, principal, verified } = caller;
    const surface = (): Surface => {
      const found = deps.surfaces.of(principal, provider);
      if (found === null) throw new HostError(`no surface for ${principal.id} on ${provider ?? "/mcp"}`);
      return found;
    };
    if (provider !== null && deps.surfaces.of(principal, provider) === null) return unknownProvider(provider);
    return { req, res, provider, presented, principal, verified, accepts, surface };
  };

  const dispatch = async (exchange: Exchange, body: ParsedBody): Promise<DoorRefusal | null> => {
    const { headers } = exchange.req;
    const classified = classifyRequest({
      httpMethod: "POST",
      versionHeader: textOf(headers["mcp-protocol-version"]),
      methodHeader: textOf(headers["mcp-method"]),
      body: body.value,
    });
    if ("refusal" in classified) return classified;
    if (classified.era === "legacy") return legacy.post(exchange, body, classified.kind);
    await modern(exchange, readMessage(body.text, body.value as JsonObject));
    return null;
  };

  const post = async (exchange: Exchange): Promise<void> => {
    const { req, res } = exchange;
    const bytes = await readBody(req, maxBytes);
    if (bytes === "gone") return;
    if (bytes === "too-large") return refuse(res, tooLarge(maxBytes), null);
    const body = parseBody(bytes);
    if ("refusal" in body) return refuse(res, body, null);
    const refusal = await dispatch(exchange, body);
    if (refusal) refuse(res, refusal, idOf(body.value));
  };

  return async (req, res, provider) => {
    const wrong = methodDefect(req);
    if (wrong) return refuse(res, wrong, null);
    const exchange = admit(req, res, provider);
    if ("refusal" in exchange) return refuse(res, exchange, null);
    if (req.method === "POST") return post(exchange);
    const refusal = req.method === "GET" ? legacy.stream(exchange) : legacy.end(exchange);
    if (refusal) refuse(res, refusal, null);
  };
};

const refuse = (res: ServerResponse, refusal: DoorRefusal, id: string | null): void =>
  sendJson(res, { status: refusal.status, text: refusalText(id, refusal), headers: refusal.headers });

const textOf = (header: string | string[] | undefined): string | undefined =>
  Array.isArray(header) ? header.join(", ") : header;

const idOf = (body: unknown): string | null => {
  const id = isObject(body) ? body["id"] : undefined;
  return typeof id === "string" || Number.isSafeInteger(id) ? JSON.stringify(id) : null;
};

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

const unknownProvider = (provider: string): DoorRefusal =>
  doorRefusal("not_found", {
    message: `There is no provider ${JSON.stringify(provider.slice(0, 100))} to see here.`,
    next: "Use a name that GET /v1/providers lists, or the endpoint /mcp for all of them.",
  });
