/**
 * HTTP towards one upstream: own connection pool, guarded addresses, redirects by hand. It reads no bodies. undici is
 * loaded with the first client, so a host without `url` entries never pays for it.
 */
import type { Readable } from "node:stream";
import type { Dispatcher } from "undici";
import { orAborted } from "../or-aborted.ts";
import type { Credential } from "./credential.ts";
import { watchSending, type Sending } from "./watch-sending.ts";
import { checkUrl, createLookup, type NetworkRules } from "./network-guard.ts";

export interface HttpClientOptions {
  readonly url: string;
  /** From the entry, credentials included: sent to the URL's own origin only. */
  readonly headers: Readonly<Record<string, string>>;
  /** What changes from request to request, for the same origin only; absent: the headers are all there is. */
  readonly credential?: Credential | undefined;
  readonly rules: NetworkRules;
  readonly connections: number;
  /** Members of bodies that are for the URL's own origin only; absent: there are none. */
  readonly withheld?: () => string;
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
/** How often one request is refused at most: as it is, with a fresh credential, with wider ones. */
const MAX_REFUSALS = 4;
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
  const { withheld = () => "" } = options;
  const route: Route = { agent, start, configured, rules: options.rules, withheld };
  const { credential } = options;
  return {
    request: (request) => (credential === undefined ? follow(route, request) : vouch(route, credential, request)),
    close: () => pool.destroy(),
  };
};

/** Sends with the credential of the moment; once more for each fresh one that the server's refusal led to. */
const vouch = async (route: Route, credential: Credential, request: HttpRequest): Promise<HttpResponse> => {
  for (let refusals = 0; ; refusals++) {
    const coming = credential.authorization();
    const used = coming instanceof Promise ? await orAborted(coming, request.signal) : coming;
    const configured = used === null ? route.configured : { ...route.configured, authorization: used };
    const response = await follow({ ...route, configured }, request);
    const { status, headers, body } = response;
    if ((status !== 401 && status !== 403) || refusals + 1 === MAX_REFUSALS) return response;
    const challenge = { status, header: challengeIn(headers["www-authenticate"]), used, refusals };
    const renewing = orAborted(credential.renew(challenge), request.signal);
    renewing.catch(() => body.resume());
    if (!(await renewing)) return response;
    body.resume();
    if (request.sending) request.sending.isOnWire = false;
  }
};

/** Of several the one that a token answers. */
const challengeIn = (header: string | string[] | undefined): string | null => {
  const all = Array.isArray(header) ? header : header === undefined ? [] : [header];
  return all.find((each) => /^bearer\b/i.test(each)) ?? all[0] ?? null;
};

interface Route {
  readonly agent: Dispatcher;
  readonly start: URL;
  readonly configured: Readonly<Record<string, string>>;
  readonly rules: NetworkRules;
  readonly withheld: () => string;
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
  { agent, start, configured, withheld }: Route,
  url: URL,
  request: HttpRequest,
): Promise<Dispatcher.ResponseData<Sending | null>> => {
  const own = url.origin === start.origin;
  const headers: Record<string, string> = own ? { ...configured, ...request.headers } : withoutSession(request.headers);
  const { method, signal, sending } = request;
  const body = own ? request.body : withoutMembers(request.body, withheld());
  const path = `${url.pathname}${url.search}`;
  return agent.request<Sending | null>({ origin: url.origin, path, method, headers, body, signal, opaque: sending });
};

const withoutSession = (headers: Readonly<Record<string, string>>): Record<string, string> => {
  const { [SESSION_HEADER]: _session, ...rest } = headers;
  return rest;
};

const withoutMembers = (body: string | null, members: string): string | null =>
  body === null || members === "" ? body : body.replaceAll(`${members},`, "");

const mediaType = ({ headers }: HttpResponse): string =>
  String(headers["content-type"] ?? "")
    .replace(/;.*/s, "")
    .trim()
    .toLowerCase();

export const isEventStream = (response: HttpResponse): boolean => mediaType(response) === "text/event-stream";
export const isJson = (response: HttpResponse): boolean => mediaType(response) === "application/json";
