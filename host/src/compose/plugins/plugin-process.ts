/**
 * One process of a plug-in: it loads the file once and then answers requests, many at a time. A request that is given up is
 * told so; one that goes on all the same costs the process its place, never the requests beside it: those are told that they
 * may be sent again. What ends here never starts again: the next process is another object.
 */
import { setTimeout as sleep } from "node:timers/promises";
import type { Program } from "../../kernel/program.ts";
import type { ContentConfig, GenerationPattern } from "../configs/config-types.ts";
import type { Context } from "../configs/read-context.ts";
import { ComposeError } from "../compose-error.ts";
import { generationFailed, tooLarge } from "../generators/generation.ts";
import { ChannelLines } from "./channel-lines.ts";
import { readPluginMessage, type PluginAnswer, type PluginMessage } from "./plugin-message.ts";
import { Unanswered } from "./unanswered.ts";

export interface PluginOrder {
  readonly config: ContentConfig;
  readonly pattern: GenerationPattern | null;
  readonly context: Context;
  readonly maxBytes: number;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

/** `passing`: it may load another time. `untyped`: it is TypeScript, and the runtime cannot load that. */
export type Loaded =
  | { readonly ok: true; readonly members: unknown; readonly generates: boolean }
  | { readonly ok: false; readonly message: string; readonly passing: boolean; readonly untyped: boolean };

export interface PluginProcessOptions {
  readonly program: Program;
  readonly type: string;
  readonly loadMs: number;
  /** Of one text that it may make. */
  readonly maxBytes: number;
  /** Called when nothing runs in it any more. */
  readonly onIdle: () => void;
}

interface Running {
  readonly order: PluginOrder;
  readonly resolve: (text: string) => void;
  readonly reject: (reason: unknown) => void;
  timer: NodeJS.Timeout;
  begun: boolean;
  abandoned: boolean;
  heard: boolean;
  /** Its time is over. */
  late: ComposeError | null;
}

/** How long a plug-in may take to stop what nobody waits for any more. */
const STOP_MS = 2_000;
/** JSON writes one character as six at most, and around the text stands little. */
const lineLimit = (maxBytes: number): number => 6 * maxBytes + 65_536;
/** When nobody holds the other end any more, all is read at once. */
const DRAIN_MS = 2_000;
const MAX_MESSAGE = 500;

export class PluginProcess {
  readonly #options: PluginProcessOptions;
  readonly #running = new Map<number, Running>();
  readonly #loaded = Promise.withResolvers<Loaded>();
  /** Resolves when it is gone and all that it wrote was read. */
  readonly #over: Promise<void>;
  #lastId = 0;
  #usable = true;
  #ending: Promise<void> | null = null;

  constructor(options: PluginProcessOptions) {
    this.#options = options;
    const { loadMs } = options;
    this.#over = this.#follow(this.#listen());
    const timer = setTimeout(() => this.#break(`It was not loaded within ${loadMs} ms.`, true), loadMs);
    void this.#loaded.promise.then(() => clearTimeout(timer));
  }

  get loaded(): Promise<Loaded> {
    return this.#loaded.promise;
  }

  /** Resolves when the process is no more. */
  get gone(): Promise<unknown> {
    return this.#options.program.ended;
  }

  /** New requests may be sent. */
  get usable(): boolean {
    return this.#usable;
  }

  get idle(): boolean {
    return ![...this.#running.values()].some(({ abandoned }) => !abandoned);
  }

  /** Rejects with ComposeError, Unanswered, or the signal's reason. */
  async generate(order: PluginOrder): Promise<string> {
    const { signal, maxBytes, config, pattern, context } = order;
    signal.throwIfAborted();
    if (!this.#usable) throw new Unanswered(this.#failure("Its process ended."), false);
    const id = ++this.#lastId;
    const { promise, resolve, reject } = Promise.withResolvers<string>();
    const wait = Math.max(order.timeoutMs, STOP_MS);
    const timer = setTimeout(() => this.#break(`Its process did not answer for ${wait} ms.`), wait);
    const running: Running = {
      order,
      resolve,
      reject,
      timer,
      begun: false,
      abandoned: false,
      heard: false,
      late: null,
    };
    this.#running.set(id, running);
    const onAbort = (): void => this.#giveUp(id, signal.reason);
    signal.addEventListener("abort", onAbort, { once: true });
    this.#send({ id, config, pattern, context, maxBytes });
    try {
      return await promise;
    } finally {
      clearTimeout(running.timer);
      signal.removeEventListener("abort", onAbort);
    }
  }

  /** Takes nothing new; ends when nobody waits for it. */
  retire(): void {
    this.#usable = false;
    if (this.idle) void this.end();
  }

  /** Resolves when nothing of it is left, or it cannot be ended. */
  end(): Promise<void> {
    this.#usable = false;
    this.#ending ??= this.#end();
    return this.#ending;
  }

  async #end(): Promise<void> {
    await this.#options.program.end();
    await Promise.race([this.#over, sleep(DRAIN_MS, null, { ref: false })]);
    this.#break("Its process could not be ended.");
  }

  async #follow(read: Promise<void>): Promise<void> {
    const { code, signal } = await this.#options.program.ended;
    await Promise.race([read, sleep(DRAIN_MS, null, { ref: false })]);
    this.#break(`Its process ended (${signal ?? `exit code ${code ?? "unknown"}`}).`, signal !== null);
  }

  /** Resolves when there is nothing more to read. */
  #listen(): Promise<void> {
    const { program, maxBytes } = this.#options;
    const lines = new ChannelLines({
      maxBytes: lineLimit(maxBytes),
      onLine: (line) => this.#hear(readPluginMessage(line)),
      onTooLong: () => this.#break("It wrote a line that is too long into the host's channel."),
    });
    program.channel.on("data", (chunk: Buffer) => lines.push(chunk));
    program.channel.on("error", () => {});
    return new Promise((resolve) => {
      program.channel.once("close", () => {
        resolve();
        // Nobody can talk to it any more; why it went is told when it is gone.
        this.#usable = false;
        void program.end();
      });
    });
  }

  #hear(message: PluginMessage | null): void {
    if (message === null) return this.#break("It wrote something into the host's channel that is no answer.");
    if (message.kind === "loaded") return this.#loaded.resolve({ ok: true, ...message });
    if (message.kind === "failed") return this.#break(this.#show(message.message));
    if (message.kind === "untyped") return this.#breakUntyped(message.version.slice(0, 20));
    if (message.kind === "spoilt") return this.retire();
    const running = this.#running.get(message.id);
    if (running === undefined) return;
    if (message.kind === "begun") this.#begin(message.id, running);
    else if (message.kind === "heard") this.#noteHeard(message.id, running);
    else this.#settle(message, running);
  }

  /** Its time is its own: what it waited for another that held the process is not counted. */
  #begin(id: number, running: Running): void {
    if (running.begun || running.abandoned) return;
    const { timeoutMs } = running.order;
    clearTimeout(running.timer);
    running.begun = true;
    running.timer = setTimeout(() => this.#runLate(id, running), timeoutMs);
  }

  /** Its time is over. Where others run beside it, it may be one of them that holds the process. */
  #runLate(id: number, running: Running): void {
    running.late = this.#timedOut(running.order.timeoutMs);
    if (running.heard || this.#countBegun() === 1) return this.#giveUp(id, running.late);
    this.#send({ abort: id });
    running.timer = setTimeout(() => this.#break(`Its process did not answer for ${STOP_MS} ms.`), STOP_MS);
  }

  #countBegun(): number {
    return [...this.#running.values()].filter(({ begun }) => begun).length;
  }

  #noteHeard(id: number, running: Running): void {
    running.heard = true;
    if (running.late === null) return;
    clearTimeout(running.timer);
    this.#giveUp(id, running.late);
  }

  #settle(answer: PluginAnswer, running: Running): void {
    const { order, reject } = running;
    this.#running.delete(answer.id);
    if (answer.kind === "size") reject(tooLarge(answer.size, order.maxBytes));
    else if (answer.kind === "error") reject(this.#failure(this.#show(answer.message)));
    else if (answer.kind === "wrong") {
      reject(this.#failure(`It made a value of the type ${answer.type.slice(0, 20)}; it must make a string.`));
    } else this.#check(answer.text.toWellFormed(), running);
    if (!this.idle) return;
    if (this.#usable) this.#options.onIdle();
    else void this.end();
  }

  #check(text: string, { order: { maxBytes }, resolve, reject }: Running): void {
    const size = Buffer.byteLength(text);
    if (size > maxBytes) reject(tooLarge(size, maxBytes));
    else if (this.#options.program.clean(text) === text) resolve(text);
    else reject(this.#failure("Its text holds a credential that it was given, so the text was dropped."));
  }

  /** Nobody waits any longer. */
  #giveUp(id: number, reason: unknown): void {
    const running = this.#running.get(id);
    if (running === undefined || running.abandoned) return;
    running.abandoned = true;
    running.reject(reason);
    this.#send({ abort: id });
    setTimeout(() => {
      if (!this.#running.has(id)) return;
      // One that did not even hear of it is busy with itself.
      if (running.heard) this.retire();
      else void this.end();
    }, STOP_MS).unref();
    if (!this.#usable && this.idle) void this.end();
  }

  /** It cannot be relied upon: whoever waits is told why. */
  #break(why: string, passing = false): void {
    this.#usable = false;
    this.#loaded.resolve({ ok: false, message: why, passing, untyped: false });
    const failure = this.#failure(why);
    const isSole = this.#countBegun() === 1;
    for (const { begun, late, reject } of this.#running.values())
      reject(begun && isSole ? (late ?? failure) : new Unanswered(late ?? failure, begun));
    this.#running.clear();
    void this.end();
  }

  #breakUntyped(version: string): void {
    const message = `Node.js ${version} here has no type stripping, which a .ts file needs; write it as .mjs.`;
    this.#loaded.resolve({ ok: false, message, passing: false, untyped: true });
    this.#break(message);
  }

  #send(message: object): void {
    const { channel } = this.#options.program;
    if (channel.writable) channel.write(`${JSON.stringify(message)}\n`);
  }

  #show(message: string): string {
    return this.#options.program.clean(message).slice(0, MAX_MESSAGE).toWellFormed();
  }

  #failure(why: string): ComposeError {
    const { type } = this.#options;
    return generationFailed(`The plug-in generator ${type} failed. ${why}`, { generator: type });
  }

  #timedOut(timeoutMs: number): ComposeError {
    const { type } = this.#options;
    return new ComposeError("generation_timeout", `The generator ${type} took longer than ${timeoutMs} ms.`, {
      generator: type,
      timeout_ms: timeoutMs,
    });
  }
}
