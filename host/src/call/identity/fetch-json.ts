/**
 * One JSON document from the issuer: https, or http on this machine; no redirects, five seconds, a limited size. Every
 * failure is `KeysUnavailable` with the address in its words. undici is loaded with the first document.
 */
import type { Readable } from "node:stream";
import { KeysUnavailable } from "./keys-unavailable.ts";

const TIMEOUT_MS = 5_000;
const MAX_BYTES = 262_144;

export interface Fetched {
  readonly status: number;
  /** Null unless the status is 200. */
  readonly value: unknown;
  /** The document as it came, to tell whether it is another than before. */
  readonly text: string;
}

export const fetchJson = async (address: string): Promise<Fetched> => {
  const url = new URL(address);
  if (!isSafe(url)) throw new KeysUnavailable(`${url.href} is neither https nor on this machine`);
  const { Agent } = await import("undici");
  const agent = new Agent({ connect: { timeout: TIMEOUT_MS } });
  try {
    const { statusCode, body } = await agent.request({
      origin: url.origin,
      path: url.pathname + url.search,
      method: "GET",
      headers: { accept: "application/json" },
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    body.on("error", () => {});
    if (statusCode >= 300 && statusCode < 400)
      throw new KeysUnavailable(`${url.href} redirects, which is not followed`);
    if (statusCode !== 200) return { status: statusCode, value: null, text: "" };
    const text = await readText(body, url);
    return { status: 200, value: parse(text, url), text };
  } catch (error) {
    throw error instanceof KeysUnavailable ? error : new KeysUnavailable(`${url.href} ${reasonOf(error)}`);
  } finally {
    await agent.destroy();
  }
};

const isSafe = ({ protocol, hostname }: URL): boolean =>
  protocol === "https:" || (protocol === "http:" && /^(?:localhost|\[::1\]|127(?:\.\d{1,3}){3})$/.test(hostname));

const readText = async (body: Readable, url: URL): Promise<string> => {
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of body as AsyncIterable<Buffer>) {
    size += part.length;
    if (size > MAX_BYTES) throw new KeysUnavailable(`${url.href} is larger than ${MAX_BYTES} bytes`);
    parts.push(part);
  }
  return Buffer.concat(parts, size).toString("utf8");
};

const parse = (text: string, url: URL): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    throw new KeysUnavailable(`${url.href} is not JSON`);
  }
};

const reasonOf = (error: unknown): string => {
  const { name, code } = error as { name?: string; code?: string };
  if (name === "TimeoutError" || code === "UND_ERR_CONNECT_TIMEOUT") return `did not answer within ${TIMEOUT_MS} ms`;
  return `cannot be reached (${code ?? name ?? "unknown"})`;
};
