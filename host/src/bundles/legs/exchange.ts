/**
 * One request to an upstream from the moment it is asked for until it is settled. A plain record: the correlator moves it
 * through its phases. It is its own abort listener, so a call costs no closure.
 */
import type { CallListener } from "../../kernel/provider.ts";
import type { Asking } from "./asking.ts";
import type { Outgoing } from "./frame.ts";
import type { Reply } from "./read-message.ts";

/** `ending`: cancelled or timed out after the send, an answer is still welcome for a short while. */
export type Phase = "queued" | "sent" | "ending" | "settled";

export interface ExchangeOptions extends Outgoing {
  /** For `Mcp-Name`; null when the method has none. */
  readonly name: string | null;
  readonly signal: AbortSignal | null;
  readonly listener: CallListener | null;
  /** Control requests (handshake, lists, ping) pass the queue and end at once when they are late. */
  readonly control: boolean;
  readonly timeoutMs: number;
}

export class Exchange {
  /** Given by the correlator. */
  id = 0;
  readonly options: ExchangeOptions;
  readonly startedAt: number;
  readonly #onAbort: (exchange: Exchange) => void;
  readonly #resolve: (reply: Reply) => void;
  readonly #reject: (reason: Error) => void;
  readonly promise: Promise<Reply>;
  phase: Phase = "queued";
  /** False: certainly nothing of it has left. Set by the wire. */
  isOnWire = false;
  dueAt: number;
  why: "cancelled" | "timeout" = "cancelled";
  /** Null: the server has asked nothing. */
  asking: Asking | null = null;

  constructor(options: ExchangeOptions, onAbort: (exchange: Exchange) => void) {
    const { promise, resolve, reject } = Promise.withResolvers<Reply>();
    this.options = options;
    this.startedAt = performance.now();
    this.dueAt = this.startedAt + options.timeoutMs;
    this.promise = promise;
    this.#resolve = resolve;
    this.#reject = reject;
    this.#onAbort = onAbort;
    options.signal?.addEventListener("abort", this);
  }

  handleEvent(): void {
    this.#onAbort(this);
  }

  resolve(reply: Reply): void {
    this.#settle();
    this.#resolve(reply);
  }

  reject(reason: Error): void {
    this.#settle();
    this.#reject(reason);
  }

  #settle(): void {
    this.phase = "settled";
    this.options.signal?.removeEventListener("abort", this);
    this.asking?.giveUp();
  }
}
