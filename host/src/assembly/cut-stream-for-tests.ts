/** For tests: a reader of a run's stream whose connection breaks after so many bytes, wherever in a frame that is. */
import { request, type IncomingMessage } from "node:http";
import { createParser } from "eventsource-parser";
import type { ReadEvent } from "../transport/chat-reader-for-tests.ts";

export interface CutStream {
  readonly status: number;
  /** Those whose last byte came through. */
  readonly events: readonly ReadEvent[];
}

export interface CutOrder {
  readonly method: "GET" | "POST";
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: object;
  /** It does not break before the first event, which names the run. */
  readonly bytes: number;
}

export const readUntilCut = async (origin: string, order: CutOrder): Promise<CutStream> => {
  const { method, path, headers, body, bytes } = order;
  const events: ReadEvent[] = [];
  const parser = createParser({
    onEvent: ({ id = null, event = null, data }) => void events.push({ id, event, data: JSON.parse(data) }),
  });
  const json = body === undefined ? {} : { "content-type": "application/json" };
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const req = request(origin + path, { method, headers: { ...headers, ...json }, agent: false }, resolve);
  req.on("error", reject);
  req.end(body === undefined ? undefined : JSON.stringify(body));
  const res = await promise;
  const decoder = new TextDecoder();
  let left = bytes;
  await new Promise<void>((end) => {
    res.on("close", end).on("error", () => {});
    res.on("data", (chunk: Buffer) => {
      for (const byte of chunk) {
        if (left-- > 0 || events.length === 0) parser.feed(decoder.decode(Uint8Array.of(byte), { stream: true }));
        else req.destroy();
      }
    });
  });
  return { status: res.statusCode ?? 0, events };
};
