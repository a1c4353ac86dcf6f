/**
 * The standing GET stream of a legacy server, which carries its change notices. A server may have none. When it breaks
 * off it is opened again where it stood; notices may have been missed then, so that counts as a change.
 */
import { setTimeout as delay } from "node:timers/promises";
import { isEventStream, type HttpResponse } from "./http-client.ts";
import { readSse, type SseOptions, type SsePosition } from "./read-sse.ts";

export interface NoticesOptions {
  readonly open: (lastEventId: string | null) => Promise<HttpResponse>;
  readonly maxBytes: number;
  readonly signal: AbortSignal;
  readonly onData: (data: string) => void;
  readonly room: SseOptions["room"];
  readonly onReopened: () => void;
  /** The server cannot be reached; unless the signal is aborted now, it is tried again. */
  readonly onUnreachable: (failure: unknown) => void;
  /** The stream was there, and the server does not give it again. */
  readonly onRefused: (status: number) => void;
}

const FIRST_DELAY_MS = 1_000;
const LAST_DELAY_MS = 30_000;

export const watchNotices = async (options: NoticesOptions): Promise<void> => {
  const { signal } = options;
  const position: SsePosition = { lastEventId: null, retryMs: null };
  let wait = FIRST_DELAY_MS;
  for (let opened = 0; !signal.aborted; opened++) {
    const since = performance.now();
    const response = await options.open(position.lastEventId).catch((failure: unknown) => {
      if (!signal.aborted) options.onUnreachable(failure);
    });
    if (response && !isStream(response)) {
      response.body.destroy();
      if (opened > 0) options.onRefused(response.status);
      return;
    }
    if (response) {
      if (opened > 0) options.onReopened();
      await readSse(response.body, { ...options, position, done: () => signal.aborted }).catch(() => null);
    }
    wait = performance.now() - since > LAST_DELAY_MS ? FIRST_DELAY_MS : Math.min(wait * 2, LAST_DELAY_MS);
    const pause = Math.max(position.retryMs ?? FIRST_DELAY_MS, opened === 0 ? 0 : wait / 2);
    await delay(pause, null, { signal, ref: false }).catch(() => null);
  }
};

const isStream = (response: HttpResponse): boolean => response.status === 200 && isEventStream(response);
