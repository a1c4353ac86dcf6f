/**
 * One `subscriptions/listen` request: opened when the server acknowledges it, over when it is answered or lost.
 */
import type { Correlator } from "./correlator.ts";
import type { ExchangeOptions } from "./exchange.ts";
import { isObject } from "./read-message.ts";

/** Method not found, invalid params: asking again will not change it. */
const UNKNOWN: ReadonlySet<number> = new Set([-32601, -32602]);

export class ListenStream {
  readonly options: ExchangeOptions;
  /** Resolves with `refused` when the server honours nothing of what was asked. */
  readonly opened: Promise<"opened" | "refused">;
  /** Resolves with `refused` when the server does not know how, or not what was asked for; never rejects. */
  readonly over: Promise<"ended" | "refused">;
  readonly #resolve: (how: "opened" | "refused") => void;
  readonly #closing = new AbortController();
  #isOpened = false;
  isOver = false;

  constructor(correlator: Correlator, filter: string) {
    const { promise, resolve } = Promise.withResolvers<"opened" | "refused">();
    this.opened = promise;
    this.#resolve = resolve;
    this.options = {
      method: "subscriptions/listen",
      params: `"notifications":{${filter}}`,
      meta: "",
      name: null,
      signal: this.#closing.signal,
      listener: null,
      control: true,
      timeoutMs: Number.POSITIVE_INFINITY,
    };
    this.over = this.#run(correlator);
  }

  acknowledge(honoured: unknown): void {
    this.#isOpened = true;
    const some = isObject(honoured) && Object.values(honoured).some((each) => each !== false);
    this.#resolve(some ? "opened" : "refused");
  }

  close(): void {
    this.#closing.abort();
  }

  async #run(correlator: Correlator): Promise<"ended" | "refused"> {
    const reply = await correlator.ask(this.options).catch(() => null);
    this.isOver = true;
    const refused = reply?.kind === "error" && !this.#isOpened && UNKNOWN.has(reply.code);
    return refused ? "refused" : "ended";
  }
}
