/**
 * Server-sent events of one response, as they come. Remembers what is needed to go on elsewhere when it breaks off.
 */
import type { Readable } from "node:stream";
import { createParser } from "eventsource-parser";
import { UnreadableBody } from "./read-body.ts";

/** Where a stream stands; kept over several responses of one logical stream. */
export interface SsePosition {
  lastEventId: string | null;
  retryMs: number | null;
}

export interface SseOptions {
  readonly maxBytes: number;
  readonly position: SsePosition;
  readonly onData: (data: string) => void;
  /** Null: reading goes on; else it waits for this. */
  readonly room: () => Promise<void> | null;
  /** Nothing more is wanted: reading stops. */
  readonly done: () => boolean;
}

const MAX_RETRY_MS = 60_000;
/** An id goes back in a header, so it must be fit for one. */
const EVENT_ID = /^[\x21-\x7e][\x20-\x7e]{0,1023}$/;

/** How long the rest of a stream may take after all is there, so that its socket can be used again. */
const DRAIN_MS = 1_000;

/** Resolves at the stream's end or when all is there; rejects when it breaks off or a message is too large. */
export const readSse = (body: Readable, options: SseOptions): Promise<void> => {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const decode = createDecoder(options);
  const take = (chunk: Buffer): void => {
    try {
      decode(chunk);
    } catch (error) {
      body.destroy();
      reject(error);
      return;
    }
    if (!options.done()) return waitForRoom(body, options.room());
    body.off("data", take);
    drain(body);
    resolve();
  };
  body.on("data", take);
  body.once("end", resolve);
  body.once("error", reject);
  body.once("close", () => reject(new Error("the connection was closed in the middle of a stream")));
  return promise;
};

const waitForRoom = (body: Readable, room: Promise<void> | null): void => {
  if (room === null) return;
  body.pause();
  void room.then(() => body.resume());
};

/** Throws on bytes that cannot be a message. */
const createDecoder = ({ maxBytes, position, onData }: SseOptions): ((chunk: Buffer) => void) => {
  let tooLarge = false;
  const decoder = new TextDecoder("utf-8", { fatal: true });
  const parser = createParser({
    maxBufferSize: maxBytes,
    onEvent: (event) => {
      if (event.id !== undefined) position.lastEventId = EVENT_ID.test(event.id) ? event.id : null;
      if (event.data !== "" && (event.event === undefined || event.event === "message")) onData(event.data);
    },
    onRetry: (ms) => {
      position.retryMs = Math.min(ms, MAX_RETRY_MS);
    },
    onError: (error) => {
      tooLarge ||= error.type === "max-buffer-size-exceeded";
    },
  });
  return (chunk) => {
    parser.feed(decodeUtf8(decoder, chunk));
    if (tooLarge) throw new UnreadableBody("message_too_large");
  };
};

const decodeUtf8 = (decoder: InstanceType<typeof TextDecoder>, chunk: Buffer): string => {
  try {
    return decoder.decode(chunk, { stream: true });
  } catch {
    throw new UnreadableBody("not_utf8");
  }
};

const drain = (body: Readable): void => {
  const timer = setTimeout(() => body.destroy(), DRAIN_MS).unref();
  body.once("close", () => clearTimeout(timer));
  body.resume();
};
