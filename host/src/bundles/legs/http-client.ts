/**
 * HTTP towards one upstream: own connection pool, guarded addresses, redirects by hand. It reads no bodies. undici is
 * loaded with the first client, so a host without `url` entries never pays for it.
 */
import type { Readable } from "node:stream";
import type { Dispatcher } from "undici";
import { watchSending, type Sending } from "./watch-sending.ts";
import { checkUrl, createLookup, type NetworkRules } from "./network-guard.ts";

export interface HttpClientOptions {
  readonly url: string;
  /** From the entry, credentials included: sent to the URL's own origin only. */
  readonly headers: Readonly<Record<string, string>>;
  readonly rules: NetworkRules;
  readonly connections: number;
}

export interface HttpRequest {
  readonly method: "POST" | "GET" | "DELETE";
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
  readonly signal: AbortSignal;
  /** Marked when a socket takes the request. */
  readonly sending: Sending | null;
}

export interface HttpResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Readable;
}

export interface HttpClient {
  request(request: HttpRequest): Promise<HttpResponse>;
  close(): Promise<void>;
}

const MAX_REDIRECTS = 3;
const OWN_HEADERS = /^(host|content-length|content-type|accept|connection|transfer-encoding|last-event-id|mcp-.*)$/;
const SESSION_HEADER = "mcp-session-id";

export const createHttpClient = async (options: HttpClientOptions): Promise<HttpClient> => {
  const start = new URL(options.url);
  checkUrl(start, options.rules);
  const { Agent: HttpAgent } = await import("undici");
  const pool = new HttpAgent({
    keepAliveTimeout: 4_000,
    keepAliveMaxTimeout: 4_000,
    pipelining: 1,
    connections: options.connections,
    headersTimeout: 0,
    bodyTimeout: 0,
    connect: { timeout: 10_000, lookup: createLookup(options.rules) },
  });
  const agent = pool.compose(watchSending);
  const configured = Object.fromEntries(
    Object.entries(options.headers)
      .map(([name, value]) => [name.toLowerCase(), value] as const)
      .filter(([name]) => !OWN_HEADERS.test(name)),
  );
  return {
    request: (request) => follow({ agent, start, configured, rules: options.rules }, request),
    close: () => pool.destroy(),
  };
};

interface Route {
  readonly agent: Dispatcher;
  readonly start: URL;
  readonly configured: Readonly<Record<string, string>>;
  readonly rules: NetworkRules;
}

const follow = async (route: Route, request: HttpRequest): Promise<HttpResponse> => {
  let url = route.start;
  for (let redirects = 0; ; redirects++) {
    const response = await send(route, url, request);
    // A body that nobody reads to its end must not become an uncaught error when its socket breaks.
    response.body.on("error", () => {});
    const next = response.statusCode === 307 || response.statusCode === 308 ? response.headers["location"] : undefined;
    if (typeof next !== "string")
      return { status: response.statusCode, headers: response.headers, body: response.body };
    await response.body.dump();
    if (redirects === MAX_REDIRECTS)
      throw new Error(`${route.start.origin} redirects more than ${MAX_REDIRECTS} times`);
    url = new URL(next, url);
    checkUrl(url, route.rules);
  }
};

const send = (
  { agent, start, configured }: Route,
  url: URL,
  request: HttpRequest,
): Promise<Dispatcher.ResponseData<Sending | null>> => {
  const headers: Record<string, string> =
    url.origin === start.origin ? { ...configured, ...request.headers } : withoutSession(request.headers);
  const { method, body, signal, sending } = request;
  const path = `${url.pathname}${url.search}`;
  return agent.request<Sending | null>({ origin: url.origin, path, method, headers, body, signal, opaque: sending });
};

const withoutSession = (headers: Readonly<Record<string, string>>): Record<string, string> => {
  const { [SESSION_HEADER]: _session, ...rest } = headers;
  return rest;
};

const mediaType = ({ headers }: HttpResponse): string =>
  String(headers["content-type"] ?? "")
    .replace(/;.*/s, "")
    .trim()
    .toLowerCase();

export const isEventStream = (response: HttpResponse): boolean => mediaType(response) === "text/event-stream";
export const isJson = (response: HttpResponse): boolean => mediaType(response) === "application/json";
