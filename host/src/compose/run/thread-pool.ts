/** Few threads for many jobs: started when there is work, handed out in order, ended when there was no work for a while. */
import { RenderThread } from "./render-thread.ts";

export interface ThreadPoolOptions {
  readonly threads: number;
  readonly idleMs: number;
  /** Why nobody gets a thread any more. */
  readonly closed: () => Error;
}

export class ThreadPool {
  readonly #options: ThreadPoolOptions;
  readonly #threads = new Set<RenderThread>();
  /** Threads without work, and when each is ended. */
  readonly #idle = new Map<RenderThread, NodeJS.Timeout>();
  /** In order. Each is told of a thread, and tells whether it took it: one may not start. */
  readonly #waiting = new Set<(thread: () => RenderThread) => boolean>();
  #isClosed = false;

  constructor(options: ThreadPoolOptions) {
    this.#options = options;
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** Rejects with what the work rejects with, or, while it waits for a thread, with the signal's reason. */
  async use<T>(signal: AbortSignal, work: (thread: RenderThread) => Promise<T>): Promise<T> {
    signal.throwIfAborted();
    const thread = await this.#take(signal);
    try {
      return await work(thread);
    } finally {
      this.#putBack(thread);
    }
  }

  /** Resolves when no thread is left. */
  async close(): Promise<void> {
    this.#isClosed = true;
    for (const timer of this.#idle.values()) clearTimeout(timer);
    this.#idle.clear();
    for (const give of this.#waiting) {
      give(() => {
        throw this.#options.closed();
      });
    }
    this.#waiting.clear();
    await Promise.all([...this.#threads].map((thread) => thread.end()));
  }

  #take(signal: AbortSignal): Promise<RenderThread> {
    if (this.#isClosed) throw this.#options.closed();
    for (const [thread, timer] of this.#idle) {
      clearTimeout(timer);
      this.#idle.delete(thread);
      if (!thread.isGone) return Promise.resolve(thread);
      this.#threads.delete(thread);
    }
    if (this.#threads.size < this.#options.threads) return Promise.resolve(this.#start());
    return this.#wait(signal);
  }

  #wait(signal: AbortSignal): Promise<RenderThread> {
    return new Promise((resolve, reject) => {
      const give = (thread: () => RenderThread): boolean => {
        signal.removeEventListener("abort", onAbort);
        try {
          resolve(thread());
          return true;
        } catch (error) {
          reject(error);
          return false;
        }
      };
      const onAbort = (): void => {
        this.#waiting.delete(give);
        reject(signal.reason as Error);
      };
      this.#waiting.add(give);
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
    for (const give of this.#waiting) {
      this.#waiting.delete(give);
      if (give(() => (thread.isGone ? this.#start() : thread))) return;
    }
    if (thread.isGone) return;
    const timer = setTimeout(() => {
      this.#idle.delete(thread);
      this.#threads.delete(thread);
      void thread.end();
    }, this.#options.idleMs);
    this.#idle.set(thread, timer.unref());
  }
}
