/**
 * Renders Jinja2 in threads, so that no template holds up the host: few of them, started when there is work, ended when a
 * template takes too long or when there was no work for a while.
 */
import { HostError } from "../../kernel/host-error.ts";
import { ComposeError } from "../compose-error.ts";
import { generationFailed, tooLarge } from "../generators/generation.ts";
import type { RenderJinja, RenderOrder } from "../workbench.ts";
import type { RenderAsk } from "./render-messages.ts";
import { RenderThread, type RenderEnd } from "./render-thread.ts";

export interface RendererOptions {
  /** Of one text, without what it takes to read what it includes. */
  readonly timeMs?: number;
  readonly fuel?: number;
  readonly idleMs?: number;
}

export interface Renderer {
  readonly render: RenderJinja;
  /** Resolves when no thread is left. */
  readonly close: () => Promise<void>;
}

const TIME_MS = 2_000;
const FUEL = 1_000_000;
const IDLE_MS = 30_000;
const MAX_THREADS = 2;
const MAX_INCLUDED = 100;
const MAX_INCLUDED_BYTES = 10_000_000;

export const createRenderer = (options: RendererOptions = {}): Renderer => {
  const pool = new RenderPool(options);
  return { render: (order) => pool.render(order), close: () => pool.close() };
};

class RenderPool {
  readonly #timeMs: number;
  readonly #fuel: number;
  readonly #idleMs: number;
  readonly #threads = new Set<RenderThread>();
  /** Threads without work, and when each is ended. */
  readonly #idle = new Map<RenderThread, NodeJS.Timeout>();
  /** In order. */
  readonly #waiting: ((thread: RenderThread | null) => void)[] = [];
  #isClosed = false;

  constructor({ timeMs = TIME_MS, fuel = FUEL, idleMs = IDLE_MS }: RendererOptions) {
    this.#timeMs = timeMs;
    this.#fuel = fuel;
    this.#idleMs = idleMs;
  }

  async render(order: RenderOrder): Promise<string> {
    order.signal.throwIfAborted();
    const thread = await this.#take(order.signal);
    try {
      return await this.#renderIn(thread, order);
    } finally {
      this.#putBack(thread);
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    for (const timer of this.#idle.values()) clearTimeout(timer);
    this.#idle.clear();
    for (const give of this.#waiting.splice(0)) give(null);
    await Promise.all([...this.#threads].map((thread) => thread.end()));
  }

  /** It begins anew with each template that it turns out to include; the time is that of all beginnings together. */
  async #renderIn(thread: RenderThread, order: RenderOrder): Promise<string> {
    const { text, context, maxBytes, signal } = order;
    const included = new Included(order);
    let ask: RenderAsk = { kind: "begin", text, context, fuel: this.#fuel, maxBytes };
    for (let left = this.#timeMs; ;) {
      const began = performance.now();
      const end = await thread.run({ ask, timeMs: Math.max(1, left), signal });
      if (end.kind === "text") return end.text;
      if (end.kind !== "wanted") throw this.#whyNot(end, maxBytes);
      left -= performance.now() - began;
      if (left <= 0) throw this.#whyNot({ kind: "late" }, maxBytes);
      ask = { kind: "given", name: end.name, text: await included.load(end.name) };
    }
  }

  #whyNot(end: RenderEnd, limit: number): Error {
    if (this.#isClosed) return closed();
    if (end.kind === "late") return generationFailed(`Template stopped: it took longer than ${this.#timeMs} ms`);
    if (end.kind === "failed") return generationFailed(end.message);
    if (end.kind === "large") return end.isLeast ? muchTooLarge(end.size, limit) : tooLarge(end.size, limit);
    return new HostError(`a template was not rendered: ${end.kind === "broken" ? end.reason : end.kind}`);
  }

  #take(signal: AbortSignal): Promise<RenderThread> {
    if (this.#isClosed) throw closed();
    for (const [thread, timer] of this.#idle) {
      clearTimeout(timer);
      this.#idle.delete(thread);
      if (!thread.isGone) return Promise.resolve(thread);
      this.#threads.delete(thread);
    }
    if (this.#threads.size < MAX_THREADS) return Promise.resolve(this.#start());
    return this.#wait(signal);
  }

  #wait(signal: AbortSignal): Promise<RenderThread> {
    return new Promise((resolve, reject) => {
      const give = (thread: RenderThread | null): void => {
        signal.removeEventListener("abort", onAbort);
        if (thread === null) reject(closed());
        else resolve(thread);
      };
      const onAbort = (): void => {
        this.#waiting.splice(this.#waiting.indexOf(give), 1);
        reject(signal.reason as Error);
      };
      this.#waiting.push(give);
      signal.addEventListener("abort", onAbort, { once: true });
    });
  }

  #start(): RenderThread {
    const thread = new RenderThread();
    this.#threads.add(thread);
    return thread;
  }

  #putBack(thread: RenderThread): void {
    if (thread.isGone) this.#threads.delete(thread);
    if (this.#isClosed) return;
    const next = this.#waiting.shift();
    if (next !== undefined) return next(thread.isGone ? this.#start() : thread);
    if (thread.isGone) return;
    const timer = setTimeout(() => {
      this.#idle.delete(thread);
      this.#threads.delete(thread);
      void thread.end();
    }, this.#idleMs);
    this.#idle.set(thread, timer.unref());
  }
}

/** What one template includes, which is only so much. */
class Included {
  readonly #order: RenderOrder;
  #count = 0;
  #bytes = 0;

  constructor(order: RenderOrder) {
    this.#order = order;
  }

  async load(name: string): Promise<string | null> {
    if (++this.#count > MAX_INCLUDED)
      throw generationFailed(`Template stopped: it includes more than ${MAX_INCLUDED} templates`);
    const text = await unlessAborted(this.#order.load(name), this.#order.signal);
    this.#bytes += text === null ? 0 : Buffer.byteLength(text);
    if (this.#bytes > MAX_INCLUDED_BYTES)
      throw generationFailed(`Template stopped: what it includes has more than ${MAX_INCLUDED_BYTES} bytes`);
    return text;
  }
}

const unlessAborted = async <T>(work: Promise<T>, signal: AbortSignal): Promise<T> => {
  signal.throwIfAborted();
  const stop = Promise.withResolvers<never>();
  const onAbort = (): void => stop.reject(signal.reason as Error);
  signal.addEventListener("abort", onAbort, { once: true });
  try {
    return await Promise.race([work, stop.promise]);
  } finally {
    signal.removeEventListener("abort", onAbort);
  }
};

const closed = (): ComposeError => generationFailed("The template was not rendered: the host is stopping");

const muchTooLarge = (size: number, limit: number): ComposeError =>
  new ComposeError("content_too_large", `The text has more than ${size} bytes; at most ${limit} are allowed.`, {
    size,
    limit,
    // It was stopped there.
    at_least: true,
  });
