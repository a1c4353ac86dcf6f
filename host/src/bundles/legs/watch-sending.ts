/**
 * Tells when a request is given to a socket. Before that it waits in the pool, or for a connection, and nothing of it has
 * left: only then may a call that is given up be called not sent. Everything else passes through as it is.
 */
import type { Dispatcher } from "undici";

export interface Sending {
  isOnWire: boolean;
}

type Handler = Dispatcher.DispatchHandler;
type Arguments<K extends keyof Handler> = Parameters<NonNullable<Handler[K]>>;

class WatchedHandler implements Handler {
  readonly #handler: Handler;
  readonly #sending: Sending;

  constructor(handler: Handler, sending: Sending) {
    this.#handler = handler;
    this.#sending = sending;
  }

  onRequestStart(...[controller, context]: Arguments<"onRequestStart">): void {
    this.#sending.isOnWire = true;
    this.#handler.onRequestStart?.(controller, context);
  }

  onRequestUpgrade(...args: Arguments<"onRequestUpgrade">): void {
    this.#handler.onRequestUpgrade?.(...args);
  }

  onResponseStart(...args: Arguments<"onResponseStart">): void {
    this.#handler.onResponseStart?.(...args);
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#handler.onResponseData?.(controller, chunk);
  }

  onResponseEnd(...args: Arguments<"onResponseEnd">): void {
    this.#handler.onResponseEnd?.(...args);
  }

  onResponseError(...args: Arguments<"onResponseError">): void {
    this.#handler.onResponseError?.(...args);
  }
}

/** The request's `opaque` is its `Sending`, or null when nobody asks. */
export const watchSending: Dispatcher.DispatcherComposeInterceptor = (dispatch) => (options, handler) => {
  const { opaque: sending } = options as { readonly opaque?: Sending | null };
  return dispatch(options, sending ? new WatchedHandler(handler, sending) : handler);
};
