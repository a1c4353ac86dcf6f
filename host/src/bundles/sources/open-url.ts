/**
 * GET under the network rules: every address of every hop is checked before a connection is made to it, at most three
 * redirects are followed, and no credential is ever sent. The caller reads the body and closes.
 */
import type { Readable } from "node:stream";
import { checkUrl, createLookup, type NetworkRules } from "../legs/network-guard.ts";

export interface OpenUrlOptions {
  readonly rules: NetworkRules;
  readonly accept: string;
  readonly signal: AbortSignal;
  /** How long the other side may be silent. */
  readonly idleMs: number;
}

export interface OpenedUrl {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Readable;
  readonly close: () => Promise<void>;
}

const MAX_REDIRECTS = 3;
const REDIRECTS = new Set([301, 302, 303, 307, 308]);
const CONNECT_MS = 10_000;

export const openUrl = async (start: URL, options: OpenUrlOptions): Promise<OpenedUrl> => {
  const { rules, accept, signal, idleMs } = options;
  checkUrl(start, rules);
  const { Agent } = await import("undici");
  const agent = new Agent({
    connect: { timeout: CONNECT_MS, lookup: createLookup(rules) },
    connections: 1,
    headersTimeout: idleMs,
    bodyTimeout: idleMs,
  });
  const close = (): Promise<void> => agent.destroy();
  try {
    let url = start;
    for (let redirects = 0; ; redirects++) {
      const { statusCode, headers, body } = await agent.request({
        origin: url.origin,
        path: `${url.pathname}${url.search}`,
        method: "GET",
        headers: { accept, "accept-encoding": "identity", "user-agent": "bailiwick" },
        signal,
      });
      // A body that nobody reads to its end must not become an uncaught error when its socket breaks.
      body.on("error", () => {});
      const { location } = headers;
      if (!REDIRECTS.has(statusCode) || typeof location !== "string")
        return { status: statusCode, headers, body, close };
      body.destroy();
      if (redirects === MAX_REDIRECTS) throw new Error(`${start.origin} redirects more than ${MAX_REDIRECTS} times`);
      url = nextUrl(location, url);
      checkUrl(url, rules);
    }
  } catch (error) {
    await close();
    throw error;
  }
};

const nextUrl = (location: string, from: URL): URL => {
  if (!URL.canParse(location, from.href)) throw new Error(`${from.origin} redirects to what is no URL`);
  return new URL(location, from);
};
