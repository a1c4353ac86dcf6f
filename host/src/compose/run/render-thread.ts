/** One thread that renders (`render-worker.ts`), from its start to its end. It has one job at a time. */
import { Worker } from "node:worker_threads";
import type { RenderAsk, RenderReply } from "./render-messages.ts";

/**
 * Several times what a template can use before its steps are used up, and what a large context takes: V8 may end the whole
 * process where a thread fills its memory, so nothing may rely on this limit.
 */
const MEMORY_MB = 2_048;

export interface RenderTurn {
  readonly ask: RenderAsk;
  readonly timeMs: number;
  readonly signal: AbortSignal;
}

export type RenderEnd = RenderReply | { readonly kind: "late" };

export class RenderThread {
  readonly #worker: Worker;
  readonly #ready: Promise<RenderReply>;
  #told: PromiseWithResolvers<RenderReply>;
  #isGone = false;

  constructor() {
    const built = !import.meta.url.endsWith(".ts");
    const url = new URL(built ? "./render-worker.js" : "./render-worker.ts", import.meta.url);
    // Nothing of the host's environment is there, whatever a template might reach.
    this.#worker = new Worker(url, { env: {}, resourceLimits: { maxOldGenerationSizeMb: MEMORY_MB } });
    this.#worker.on("message", (reply: RenderReply) => this.#told.resolve(reply));
    this.#worker.on("error", (error) => this.#lose(endOf(error)));
    this.#worker.on("exit", () => this.#lose({ kind: "broken", reason: "its thread has ended" }));
    this.#worker.unref();
    this.#told = Promise.withResolvers();
    this.#ready = this.#told.promise;
  }

  /** It takes no more jobs. */
  get isGone(): boolean {
    return this.#isGone;
  }

  /** The time counts from when the thread can work. Rejects with the signal's reason; the thread is gone then, as when it is late. */
  async run({ ask, timeMs, signal }: RenderTurn): Promise<RenderEnd> {
    const stop = Promise.withResolvers<never>();
    const onAbort = (): void => {
      stop.reject(signal.reason as Error);
      void this.end();
    };
    signal.addEventListener("abort", onAbort, { once: true });
    // Whoever waits for a text keeps the process; a thread that waits for work does not.
    this.#worker.ref();
    try {
      signal.throwIfAborted();
      const started = await Promise.race([this.#ready, stop.promise]);
      if (started.kind !== "ready") return started;
      return await Promise.race([this.#work(ask, timeMs), stop.promise]);
    } finally {
      signal.removeEventListener("abort", onAbort);
      this.#worker.unref();
    }
  }

  async end(): Promise<void> {
    this.#lose({ kind: "broken", reason: "its thread was ended" });
    await this.#worker.terminate();
  }

  async #work(ask: RenderAsk, timeMs: number): Promise<RenderEnd> {
    if (this.#isGone) return this.#told.promise;
    this.#told = Promise.withResolvers();
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
    this.#worker.postMessage(ask);
    const late = Promise.withResolvers<RenderEnd>();
    const timer = setTimeout(() => {
      late.resolve({ kind: "late" });
      void this.end();
    }, timeMs);
    try {
      return await Promise.race([late.promise, this.#told.promise]);
    } finally {
      clearTimeout(timer);
    }
  }

  #lose(reply: RenderReply): void {
    this.#isGone = true;
    this.#told.resolve(reply);
  }
}

const endOf = (error: unknown): RenderReply => {
  const { code, message } = error as NodeJS.ErrnoException;
  return code === "ERR_WORKER_OUT_OF_MEMORY"
    ? { kind: "failed", message: `Template stopped: it takes more than ${MEMORY_MB} MB of memory` }
    : { kind: "broken", reason: message };
};
