/**
 * From the start of a script to the moment when no process of it is left: what it is given and what it writes, its time limit,
 * and the end of whatever it started.
 */
import type { ChildProcessByStdio } from "node:child_process";
import type { Readable, Writable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import type { ScriptEnd, ScriptOrder } from "../../kernel/script.ts";
import { endProcesses } from "../end-processes.ts";
import type { Spawned } from "../process-table.ts";
import type { Redaction } from "../redaction.ts";
import { Survivors } from "../survivors.ts";
import { CollectedOutput } from "./collected-output.ts";
import { ShownBeginning } from "./shown-beginning.ts";
import { StderrLines } from "./stderr-lines.ts";

export type ScriptChild = ChildProcessByStdio<Writable, Readable, Readable>;

export interface FollowOptions {
  readonly child: ScriptChild;
  readonly spawned: Spawned;
  readonly order: ScriptOrder;
  readonly redaction: Redaction;
  /** The child is bubblewrap, which ends with all it holds: the program in it is to end by itself. */
  readonly confined: boolean;
}

export interface FollowedScript {
  /** False: something of it could not be ended. */
  readonly gone: boolean;
  readonly end: ScriptEnd;
}

const TERM_GRACE_MS = 2_000;
/** When nobody holds the other end any more this is over at once; one that cannot be ended may hold it for ever. */
const DRAIN_MS = 5_000;
const MAX_OPENING = 2_000;

interface Exit {
  readonly code: number | null;
  readonly signal: string | null;
}

export const followScript = (options: FollowOptions): Promise<FollowedScript> => new Following(options).follow();

class Following {
  readonly #options: FollowOptions;
  readonly #survivors: Survivors;
  readonly #lines: StderrLines;
  readonly #opening: ShownBeginning;
  readonly #output = new CollectedOutput();
  #how: ScriptEnd["how"] = "exited";
  /** Resolves to whether all could be ended. */
  #ending: Promise<boolean> | null = null;
  #exited = false;

  constructor(options: FollowOptions) {
    this.#options = options;
    this.#survivors = new Survivors(options.spawned);
    this.#lines = new StderrLines(options.redaction, options.order.onStderr);
    this.#opening = new ShownBeginning(options.redaction, MAX_OPENING);
  }

  async follow(): Promise<FollowedScript> {
    const { child, order } = this.#options;
    const closed = this.#listen();
    const timer = setTimeout(() => this.#end("timed_out"), order.limitMs);
    const onAbort = (): void => this.#end("cancelled");
    order.signal.addEventListener("abort", onAbort, { once: true });
    if (order.signal.aborted) onAbort();
    // One that reads nothing of it may close its end.
    child.stdin.end(order.input);
    const exit = await this.#exit();
    clearTimeout(timer);
    order.signal.removeEventListener("abort", onAbort);
    await this.#ending;
    const gone = await endProcesses(this.#survivors, { graceMs: 0 });
    const patience = new AbortController();
    await Promise.race([closed, sleep(DRAIN_MS, null, { signal: patience.signal }).catch(() => null)]);
    patience.abort();
    for (const pipe of [child.stdin, child.stdout, child.stderr]) pipe.destroy();
    this.#lines.end();
    const stdout = this.#output.bytes();
    const opening = this.#opening;
    const end: ScriptEnd = {
      how: this.#how,
      ...exit,
      stdout,
      lastLine: this.#lines.last,
      // Most ends are never shown.
      get opening() {
        return opening.show(stdout);
      },
    };
    return { gone, end };
  }

  #listen(): Promise<unknown> {
    const { child } = this.#options;
    child.stdout.on("data", (chunk: Buffer) => this.#collect(chunk));
    child.stderr.on("data", (chunk: Buffer) => this.#lines.push(chunk));
    for (const pipe of [child.stdin, child.stdout, child.stderr]) pipe.on("error", () => {});
    return Promise.all(
      [child.stdout, child.stderr].map((pipe) => new Promise<void>((resolve) => pipe.once("close", resolve))),
    );
  }

  #collect(chunk: Buffer): void {
    const { child, order } = this.#options;
    if (this.#how === "too_large") return;
    this.#output.push(chunk);
    if (this.#output.size <= order.maxOutputBytes) return;
    this.#output.cut(this.#opening.bytes);
    // It may have ended already, and all of this was still in the pipe.
    this.#how = this.#how === "exited" ? "too_large" : this.#how;
    child.stdout.destroy();
    this.#end(this.#how);
  }

  /** The first reason counts. */
  #end(how: ScriptEnd["how"]): void {
    if (this.#exited || this.#ending !== null) return;
    this.#how = how;
    const { confined, spawned } = this.#options;
    const spare = confined ? { spare: spawned.pgid } : {};
    this.#ending = endProcesses(this.#survivors, { graceMs: TERM_GRACE_MS, ...spare });
    this.#ending.then(
      (gone) => gone || this.#giveUp?.(),
      () => this.#giveUp?.(),
    );
  }

  /** Nobody can end it, and nobody waits for it any longer. */
  #giveUp: (() => void) | null = null;

  #exit(): Promise<Exit> {
    const { child } = this.#options;
    return new Promise((resolve) => {
      this.#giveUp = () => resolve({ code: null, signal: null });
      child.once("exit", (code, signal) => {
        this.#exited = true;
        resolve({ code, signal });
      });
    });
  }
}
