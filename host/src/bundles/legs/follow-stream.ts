/**
 * One logical stream of events over as many responses as it takes: a stream that breaks off is resumed where it stood, if
 * the server gave its events ids.
 */
import { setTimeout as delay } from "node:timers/promises";
import { isEventStream, type HttpResponse } from "./http-client.ts";
import { UnreadableBody } from "./read-body.ts";
import { readSse, type SseOptions, type SsePosition } from "./read-sse.ts";

export interface StreamOptions {
  readonly first: HttpResponse;
  readonly maxBytes: number;
  readonly signal: AbortSignal;
  readonly onData: (data: string) => void;
  readonly room: SseOptions["room"];
  readonly done: () => boolean;
  /** Null: this server's streams cannot be resumed. */
  readonly resume: ((lastEventId: string) => Promise<HttpResponse>) | null;
}

const DEFAULT_RETRY_MS = 1_000;
/** Whatever the server wishes. */
const LEAST_RETRY_MS = 100;
/** Up to here the pause grows while resuming brings nothing. */
const GROWN_RETRY_MS = 30_000;

/** Resolves when `done`; rejects when the stream is over before. */
export const followStream = async (options: StreamOptions): Promise<void> => {
  const { signal, resume, done } = options;
  const position: SsePosition = { lastEventId: null, retryMs: null };
  let response = options.first;
  let heard = false;
  /** Resumptions in a row that brought nothing; the first response is none. */
  let vain = -1;
  const onData = (data: string): void => {
    heard = true;
    options.onData(data);
  };
  for (;;) {
    heard = false;
    const broken = await readToEnd(response, position, { ...options, onData });
    if (done()) return;
    vain = heard ? 0 : vain + 1;
    if (signal.aborted || resume === null || position.lastEventId === null) {
      throw broken ?? new Error("the server ended the stream without an answer");
    }
    await delay(pauseAfter(position, vain), null, { signal, ref: false });
    if (done()) return;
    response = await resume(position.lastEventId);
    if (response.status !== 200 || !isEventStream(response)) {
      response.body.destroy();
      throw new Error(`the stream broke off, and resuming it was answered with HTTP ${response.status}`);
    }
  }
};

const pauseAfter = ({ retryMs }: SsePosition, vain: number): number => {
  const wished = Math.max(retryMs ?? DEFAULT_RETRY_MS, LEAST_RETRY_MS);
  return Math.max(wished, Math.min(wished * 2 ** vain, GROWN_RETRY_MS));
};

const readToEnd = async (
  response: HttpResponse,
  position: SsePosition,
  options: StreamOptions,
): Promise<Error | null> => {
  try {
    await readSse(response.body, { ...options, position });
    return null;
  } catch (error) {
    if (error instanceof UnreadableBody) throw error;
    return error instanceof Error ? error : new Error(String(error));
  }
};
