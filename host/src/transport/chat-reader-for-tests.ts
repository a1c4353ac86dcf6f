/** Somebody who reads a stream of a run as it comes, and can stop reading or leave. */
import { request, type IncomingHttpHeaders, type IncomingMessage } from "node:http";
import { createParser } from "eventsource-parser";
import { vi } from "vitest";
import { JSON_HEADERS } from "./client-for-tests.ts";

export interface ReadEvent {
  readonly id: string | null;
  readonly event: string | null;
  readonly data: any;
}

export interface ChatReader {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly events: ReadEvent[];
  readonly comments: string[];
  readonly ended: Promise<void>;
  /** Resolves when one of this name was read. */
  until(event: string): Promise<void>;
  pause(): void;
  resume(): void;
  leave(): void;
}

export interface ReadOrder {
  readonly method?: string;
  readonly path: string;
  readonly headers?: Record<string, string>;
  readonly body?: object;
}

const { authorization: _, ...KEYLESS } = JSON_HEADERS;

/** With the owner's key, unless a cookie is sent. */
export const readChat = async (origin: string, order: ReadOrder): Promise<ChatReader> => {
  const { method = "POST", path, headers = {}, body } = order;
  const [events, comments]: [ReadEvent[], string[]] = [[], []];
  const parser = createParser({
    onEvent: ({ id = null, event = null, data }) => void events.push({ id, event, data: JSON.parse(data) }),
    onComment: (comment) => void comments.push(comment),
  });
  const { promise: opened, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const req = request(
    origin + path,
    { method, headers: { ...("cookie" in headers ? KEYLESS : JSON_HEADERS), ...headers }, agent: false },
    resolve,
  );
  req.on("error", reject);
  req.end(body === undefined ? undefined : JSON.stringify(body));
  const res = await opened;
  const decoder = new TextDecoder();
  const { promise: ended, resolve: end } = Promise.withResolvers<void>();
  res.on("data", (chunk: Buffer) => parser.feed(decoder.decode(chunk, { stream: true })));
  res.on("error", () => end());
  res.on("close", () => end());
  return {
    status: res.statusCode ?? 0,
    headers: res.headers,
    events,
    comments,
    ended,
    until: (name) =>
      vi.waitFor(
        () => {
          if (!events.some(({ event }) => event === name)) throw new Error(`no ${name} yet`);
        },
        { timeout: 10_000, interval: 5 },
      ),
    pause: () => void res.pause(),
    resume: () => void res.resume(),
    leave: () => void req.destroy(),
  };
};
