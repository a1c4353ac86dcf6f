/**
 * `fetch` for the requests of an authorization flow: every address passes the network rules of the bundle, answers are
 * small and soon, redirects are left to the caller, and what the other side says about an error holds no secret of ours.
 */
import { describeFailure } from "../legs/http-failure.ts";
import { checkUrl, createLookup, type NetworkRules } from "../legs/network-guard.ts";
import { readBody } from "../legs/read-body.ts";

export type GuardedFetch = (url: string | URL, init?: RequestInit) => Promise<Response>;

export interface GuardedFetchOptions {
  readonly rules: NetworkRules;
  /** Takes secrets out of a text. */
  readonly clean: (text: string) => string;
}

const TIMEOUT_MS = 10_000;
const MAX_BYTES = 1_048_576;
/** What is said about an error may end up in a log. */
const MAX_ERROR = 8_192;
const BODILESS = new Set([204, 205, 304]);

export const createGuardedFetch =
  (options: GuardedFetchOptions): GuardedFetch =>
  async (input, init = {}) => {
    const url = new URL(input);
    try {
      return await ask(url, init, options);
    } catch (error) {
      // The SDK takes this type for an address that could not be reached; after any other it would try the next guess.
      throw new TypeError(`${url.origin} could not be asked: ${describeFailure(error)}`, { cause: error });
    }
  };

const ask = async (url: URL, init: RequestInit, { rules, clean }: GuardedFetchOptions): Promise<Response> => {
  checkUrl(url, rules);
  const { Agent } = await import("undici");
  // One for each request: they are rare, and nothing is left open behind them.
  const agent = new Agent({ connect: { timeout: TIMEOUT_MS, lookup: createLookup(rules) }, connections: 1 });
  try {
    const answer = await agent.request({
      origin: url.origin,
      path: `${url.pathname}${url.search}`,
      method: init.method ?? "GET",
      headers: Object.fromEntries(new Headers(init.headers)),
      body: bodyOf(init),
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    const text = await readBody(answer.body, MAX_BYTES);
    const status = answer.statusCode;
    const body = BODILESS.has(status) ? null : status < 400 ? text : clean(text).slice(0, MAX_ERROR);
    return new Response(body, { status, headers: headersOf(answer.headers) });
  } finally {
    await agent.destroy();
  }
};

/** A form or a text; the flow sends nothing else. */
const bodyOf = ({ body }: RequestInit): string | null => {
  if (body instanceof URLSearchParams) return body.toString();
  return typeof body === "string" ? body : null;
};

const headersOf = (headers: Readonly<Record<string, string | string[] | undefined>>): Headers => {
  const kept = new Headers();
  for (const [name, value] of Object.entries(headers)) {
    for (const each of Array.isArray(value) ? value : [value ?? ""]) kept.append(name, each);
  }
  return kept;
};
