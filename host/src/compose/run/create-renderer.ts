/**
 * Renders Jinja2, merges texts and compares them in threads, so that none of it holds up the host: few of them, started when
 * there is work, ended when a job takes too long or when there was no work for a while.
 */
import { HostError } from "../../kernel/host-error.ts";
import { mergeParts, type MergedParts } from "../assemble/merge-parts.ts";
import { tellChanges, tellChangesRoughly, type Changes } from "../assemble/tell-changes.ts";
import { ComposeError } from "../compose-error.ts";
import { generationFailed, tooLarge } from "../generators/generation.ts";
import type { CompareOrder, CompareTexts, MergeOrder, MergeTexts, RenderJinja, RenderOrder } from "../workbench.ts";
import type { RenderAsk } from "./render-messages.ts";
import type { RenderEnd, RenderThread } from "./render-thread.ts";
import { ThreadPool } from "./thread-pool.ts";

export interface RendererOptions {
  /** Of one text, without what it takes to read what it includes. */
  readonly timeMs?: number;
  readonly fuel?: number;
  readonly idleMs?: number;
  /** Of all texts of one artifact. */
  readonly mergeMs?: number;
  /** Of two texts, with what it takes to get a thread. */
  readonly compareMs?: number;
}

export interface Renderer {
  readonly render: RenderJinja;
  readonly merge: MergeTexts;
  readonly compare: CompareTexts;
  /** Resolves when no thread is left. */
  readonly close: () => Promise<void>;
}

const TIME_MS = 2_000;
const MERGE_MS = 30_000;
const COMPARE_MS = 2_000;
const FUEL = 1_000_000;
const IDLE_MS = 30_000;
const MAX_THREADS = 2;
const MAX_INCLUDED = 100;
const MAX_INCLUDED_BYTES = 10_000_000;
/** What has fewer characters takes less time than its way to a thread. */
const LARGE = 100_000;

export const createRenderer = (options: RendererOptions = {}): Renderer => {
  const { idleMs = IDLE_MS, mergeMs = MERGE_MS, compareMs = COMPARE_MS } = options;
  const templates = new TemplateThreads(options);
  // Others than those that render: a merge may take long.
  const texts = new ThreadPool({ threads: MAX_THREADS, idleMs, closed: notMerged });
  return {
    render: (order) => templates.render(order),
    merge: async (order) => (isLargeMerge(order) ? mergeIn(texts, order, mergeMs) : mergeParts(order)),
    compare: async (order) => (isLargeDiff(order) ? compareIn(texts, order, compareMs) : tellOf(order)),
    close: async () => void (await Promise.all([templates.close(), texts.close()])),
  };
};

/** The reader and the writer of YAML take long for little. */
const isLargeMerge = ({ parts, formats }: MergeOrder): boolean => {
  const texts = parts.flatMap((part) => part.texts);
  if (formats.includes("yaml") || texts.some(({ format }) => format === "yaml")) return true;
  return texts.reduce((sum, { text }) => sum + text.length, 0) > LARGE;
};

const mergeIn = (pool: ThreadPool, order: MergeOrder, timeMs: number): Promise<MergedParts> => {
  const { parts, formats, arrays, maxBytes, signal } = order;
  // What else is known of a part stays here.
  const plain = parts.map(({ content_id, required, texts }) => ({ content_id, required, texts }));
  const ask: RenderAsk = { kind: "merge", parts: plain, formats, arrays, maxBytes };
  return pool.use(signal, async (thread) => {
    const end = await thread.run({ ask, timeMs, signal });
    if (end.kind === "merged") return end.merged;
    if (pool.isClosed) throw notMerged();
    if (end.kind === "refused") throw new ComposeError(end.code, end.message, end.details);
    if (end.kind === "late") throw assemblyFailed(`The texts take longer than ${timeMs} ms to merge`);
    if (end.kind === "failed") throw assemblyFailed("The texts take more memory to merge than there is");
    throw new HostError(`texts were not merged: ${end.kind === "broken" ? end.reason : end.kind}`);
  });
};

const isLargeDiff = ({ before, after }: CompareOrder): boolean =>
  before.length + after.length > LARGE && before !== after;

const tellOf = ({ before, after }: CompareOrder): Changes => tellChanges(before, after);

/** A diff that is not made, or not in time, is told roughly, which is right too: what is compared is stored already. */
const compareIn = async (pool: ThreadPool, order: CompareOrder, timeMs: number): Promise<Changes> => {
  const { before, after } = order;
  const signal = AbortSignal.any([order.signal, AbortSignal.timeout(timeMs)]);
  try {
    const end = await pool.use(signal, (thread) =>
      thread.run({ ask: { kind: "diff", before, after }, timeMs, signal }),
    );
    if (end.kind === "compared") return end.changes;
  } catch {
    order.signal.throwIfAborted();
  }
  return tellChangesRoughly(before, after);
};

class TemplateThreads {
  readonly #timeMs: number;
  readonly #fuel: number;
  readonly #threads: ThreadPool;

  constructor({ timeMs = TIME_MS, fuel = FUEL, idleMs = IDLE_MS }: RendererOptions) {
    this.#timeMs = timeMs;
    this.#fuel = fuel;
    this.#threads = new ThreadPool({ threads: MAX_THREADS, idleMs, closed });
  }

  render(order: RenderOrder): Promise<string> {
    return this.#threads.use(order.signal, (thread) => this.#renderIn(thread, order));
  }

  close(): Promise<void> {
    return this.#threads.close();
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
    if (this.#threads.isClosed) return closed();
    if (end.kind === "late") return generationFailed(`Template stopped: it took longer than ${this.#timeMs} ms`);
    if (end.kind === "failed") return generationFailed(end.message);
    if (end.kind === "large") return end.isLeast ? muchTooLarge(end.size, limit) : tooLarge(end.size, limit);
    return new HostError(`a template was not rendered: ${end.kind === "broken" ? end.reason : end.kind}`);
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
    this.#order.signal.throwIfAborted();
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

const assemblyFailed = (message: string): ComposeError => new ComposeError("assembly_failed", message);

const notMerged = (): ComposeError => assemblyFailed("The texts were not merged: the host is stopping");

const muchTooLarge = (size: number, limit: number): ComposeError =>
  new ComposeError("content_too_large", `The text has more than ${size} bytes; at most ${limit} are allowed.`, {
    size,
    limit,
    // It was stopped there.
    at_least: true,
  });
