/**
 * Finds out from what the author has at hand where the host's capabilities stand and how a request reaches it: back over the
 * connection, or, in the modern era, where a server sends no requests, over HTTP with what came in the request's `_meta`.
 */
import { ANY_RESULT } from "./any-result.ts";
import type { CtxLike, ExtraLike, HostContext, HostRequest, McpServerLike, ServerLike } from "./host-context.ts";
import { HOST_RESOURCES } from "./host-resources-key.ts";
import { isRecord } from "./is-record.ts";
import { postRequest, type ExtensionEndpoint } from "./post-request.ts";

const CLIENT_CAPABILITIES = "io.modelcontextprotocol/clientCapabilities";
const FIRST_MODERN_VERSION = "2026-07-28";

export interface HostLink {
  capabilities(): unknown;
  /** Null: there is no way, whatever was advertised. */
  way(): ((request: HostRequest) => Promise<unknown>) | null;
}

export const linkTo = (context: HostContext, server?: McpServerLike): HostLink => {
  if (!isObject(context)) throw new TypeError(`host() was given no object. ${WANTED}`);
  if ("mcpReq" in context) return linkByCtx(context, server);
  if ("sendRequest" in context) return linkByExtra(context, server);
  if ("clientCapabilities" in context) {
    return { capabilities: () => context.clientCapabilities, way: () => (request) => context.request(request) };
  }
  return linkByServer(serverOf(context));
};

const WANTED = "It takes an MCP server, the context of a request handler, or {clientCapabilities, request}.";

const isObject = (value: unknown): boolean => typeof value === "object" && value !== null;

const serverOf = (given: McpServerLike): ServerLike => {
  const server = "server" in given ? given.server : given;
  if (typeof server?.getClientCapabilities === "function" && typeof server.request === "function") return server;
  throw new TypeError(`host() was given something else. ${WANTED}`);
};

/** A legacy handler's context does not say what the client can do; the server that called the handler does. */
const needServer = (server: McpServerLike | undefined, name: string): ServerLike => {
  if (server !== undefined) return serverOf(server);
  throw new TypeError(`This handler's context does not tell what the host offers. Write: host(${name}, server)`);
};

const linkByServer = (server: ServerLike): HostLink => ({
  capabilities: () => server.getClientCapabilities(),
  way: () =>
    (server.getNegotiatedProtocolVersion?.() ?? "") >= FIRST_MODERN_VERSION
      ? null
      : sendBy(server.request.bind(server)),
});

const linkByExtra = ({ sendRequest, signal }: ExtraLike, given: McpServerLike | undefined): HostLink => {
  const server = needServer(given, "extra");
  return { capabilities: () => server.getClientCapabilities(), way: () => sendBy(sendRequest, signal) };
};

const linkByCtx = ({ mcpReq }: CtxLike, given: McpServerLike | undefined): HostLink => {
  const { envelope, _meta: meta, send, signal } = mcpReq;
  if (isRecord(envelope)) {
    const endpoint = endpointOf(isRecord(meta) ? meta[HOST_RESOURCES] : undefined);
    return {
      capabilities: () => envelope[CLIENT_CAPABILITIES],
      way: () => (endpoint === null ? null : (request) => postRequest(endpoint, request, signal)),
    };
  }
  const server = needServer(given, "ctx");
  return { capabilities: () => server.getClientCapabilities(), way: () => sendBy(send, signal) };
};

const sendBy = (send: ServerLike["request"], signal?: AbortSignal) => {
  const sending = send as (...args: unknown[]) => Promise<unknown>;
  return (request: HostRequest) => sending(request, ANY_RESULT, { signal });
};

const endpointOf = (said: unknown): ExtensionEndpoint | null => {
  if (!isRecord(said)) return null;
  const { endpoint, token } = said;
  if (typeof endpoint !== "string" || typeof token !== "string" || !URL.canParse(endpoint)) return null;
  return /^https?:$/.test(new URL(endpoint).protocol) ? { endpoint, token } : null;
};
