/**
 * The way to the thread that searches (`text-worker.ts`): one for all workspaces, started when it is needed and ended when
 * nobody has asked for a while, so that neither a search nor the taking in of text ever stops the host.
 */
import { Worker } from "node:worker_threads";
import type { FileSearch } from "../../kernel/files.ts";
import { HostError } from "../../kernel/host-error.ts";
import { Refusal } from "../../kernel/refusal.ts";
import type { Hits, TextReply, TextRequest, ToTextThread } from "./text-messages.ts";

const SEARCH_MS = 5_000;
const IDLE_MS = 10_000;
/** What it is at takes no longer, as a rule; nothing is lost where it is cut short. */
const END_MS = 1_000;

type Waiter = PromiseWithResolvers<TextReply>;

export class TextDesk {
  readonly #waiting = new Map<number, Waiter>();
  #worker: Worker | null = null;
  #number = 0;
  #idle: NodeJS.Timeout | null = null;

  async search(folder: string, terms: readonly string[], filter: Omit<FileSearch, "query">): Promise<Hits> {
    const reply = await this.#ask({ ask: "search", folder, terms, filter, until: Date.now() + SEARCH_MS });
    if (reply.kind === "found") return reply.hits;
    if (reply.kind === "late") throw tookTooLong();
    throw new HostError(`the text of ${folder} cannot be searched: ${reply.kind === "failed" ? reply.reason : "?"}`);
  }

  /** There is a new text, or one is gone. What fails now is made good when somebody searches. */
  follow(folder: string, gone: number | null = null): void {
    this.#ask({ ask: "follow", folder, gone }).catch(() => {});
  }

  /** Resolves when nothing of it is open any more. */
  async leave(folder: string): Promise<void> {
    if (this.#worker !== null) await this.#ask({ ask: "leave", folder }).catch(() => {});
  }

  /** Resolves when the thread is gone. */
  async end(): Promise<void> {
    const worker = this.#worker;
    if (worker === null) return;
    const gone = new Promise<void>((resolve) => worker.once("exit", () => resolve()));
    this.#dismiss();
    const late = setTimeout(() => void worker.terminate(), END_MS);
    await gone;
    clearTimeout(late);
  }

  /** Rejects when no thread can be started. */
  async #ask(message: ToTextThread): Promise<TextReply> {
    this.#worker ??= this.#start();
    this.#stir();
    const number = ++this.#number;
    const waiter = Promise.withResolvers<TextReply>();
    this.#waiting.set(number, waiter);
    post(this.#worker, { number, message });
    return waiter.promise;
  }

  #start(): Worker {
    const built = !import.meta.url.endsWith(".ts");
    const worker = new Worker(new URL(built ? "./text-worker.js" : "./text-worker.ts", import.meta.url));
    worker.unref();
    worker.on("message", (reply: TextReply) => this.#hear(reply));
    worker.on("error", (error: Error) => this.#lose(worker, error.message));
    worker.on("exit", () => this.#lose(worker, "its thread has ended"));
    return worker;
  }

  #hear(reply: TextReply): void {
    this.#waiting.get(reply.number)?.resolve(reply);
    this.#waiting.delete(reply.number);
    if (this.#waiting.size > 0) return;
    this.#stir();
    this.#idle = setTimeout(() => this.#dismiss(), IDLE_MS);
    this.#idle.unref();
  }

  #stir(): void {
    if (this.#idle !== null) clearTimeout(this.#idle);
    this.#idle = null;
  }

  /** Nobody is waited for any more; whoever asks next starts another. */
  #dismiss(): void {
    const worker = this.#worker;
    if (worker === null) return;
    this.#stir();
    this.#lose(worker, "the files are closed");
    post(worker, { number: 0, message: { ask: "end" } });
  }

  #lose(worker: Worker, reason: string): void {
    if (worker !== this.#worker) return;
    this.#worker = null;
    for (const [number, { resolve }] of this.#waiting) resolve({ number, kind: "failed", reason });
    this.#waiting.clear();
  }
}

const post = (worker: Worker, request: TextRequest): void => {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
  worker.postMessage(request);
};

const tookTooLong = (): Refusal =>
  new Refusal("timed_out", {
    message: `The search was ended after ${SEARCH_MS / 1000} seconds: too many files have these words.`,
    next: "Search again with fewer or longer words, or only for files with a tag or of a type.",
  });
