/**
 * One plug-in as its file is now: its process, started when it is needed, again after it ended, and ended when nothing is
 * asked of it for a while. A changed file is another plug-in.
 */
import type { ProgramOrder, StartProgram } from "../../kernel/program.ts";
import { ScriptNotStarted } from "../../kernel/script-not-started.ts";
import { generationFailed } from "../generators/generation.ts";
import { digestWithBeside } from "./files-beside.ts";
import { GENERATOR_RUNNER } from "./locate-generator-runner.ts";
import { Places } from "./places.ts";
import type { PluginFile } from "./plugin-files.ts";
import { PluginProcess, type Loaded, type PluginOrder } from "./plugin-process.ts";
import { Unanswered } from "./unanswered.ts";
import { withoutPlace } from "./without-place.ts";

export interface PluginOptions {
  readonly file: PluginFile;
  /** SHA-256 of the file, hex: nothing else is loaded. */
  readonly digest: string;
  /** The same with what it may import; it is not started with anything else. */
  readonly whole: string;
  readonly start: StartProgram;
  readonly maxBytes: number;
  readonly loadMs: number;
  readonly idleMs: number;
  readonly log: (line: string) => void;
}

/** Of the memory that JavaScript values take, in MiB. */
const MEMORY = 512;
const FLAGS = [`--max-old-space-size=${MEMORY}`, "--disable-warning=ExperimentalWarning", GENERATOR_RUNNER];

/** How often one is sent to a process that others use, too. */
const MAX_SHARED = 2;
/** Processes at once that are for one request only. */
const MAX_LONE = 4;

const CHANGED = "What it may import changed since it was looked at.";

type Started = { readonly process: PluginProcess; readonly loaded: Loaded & { readonly ok: true } };

export class Plugin {
  readonly #options: PluginOptions;
  /** All that have not ended. */
  readonly #processes = new Set<PluginProcess>();
  /** Starts that are not over. */
  readonly #starting = new Set<Promise<Started>>();
  readonly #lone = new Places(MAX_LONE);
  #current: Promise<Started> | null = null;
  #usable: PluginProcess | null = null;
  #allowedEnv: readonly string[] = [];
  #idleTimer: NodeJS.Timeout | undefined;
  #retired = false;
  #closed = false;

  constructor(options: PluginOptions) {
    this.#options = options;
  }

  /** Loads it without any credential. Rejects with NotLoaded. */
  async describe(): Promise<Loaded & { readonly ok: true }> {
    return (await this.#ready()).loaded;
  }

  /** What its process is given from now on. */
  grant(allowedEnv: readonly string[]): void {
    if (allowedEnv.join() === this.#allowedEnv.join()) return;
    this.#allowedEnv = allowedEnv;
    this.#drop();
  }

  /**
   * Rejects with ComposeError, or with the signal's reason. One that a process left unanswered is sent again: to the next
   * process if none of its code ran, else to one of its own, so that it fails for no other and no other for it.
   */
  async generate(order: PluginOrder): Promise<string> {
    let alone: Unanswered | null = null;
    for (let tries = 1; ; tries++) {
      const before: Unanswered | null = alone;
      try {
        if (before === null) return await this.#attempt(order);
        return await this.#lone.run(order.signal, () => this.#attemptAlone(order, before));
      } catch (error) {
        if (!(error instanceof Unanswered)) throw error;
        if (this.#retired || before !== null) throw error.failure;
        if (error.begun || tries === MAX_SHARED) alone = error;
      }
    }
  }

  async #attempt(order: PluginOrder): Promise<string> {
    order.signal.throwIfAborted();
    return (await this.#loadedBy(this.#ready())).generate(order);
  }

  async #attemptAlone(order: PluginOrder, before: Unanswered): Promise<string> {
    order.signal.throwIfAborted();
    // It may have been retired while this one waited for its place.
    if (this.#retired) throw before;
    const process = await this.#loadedBy(this.#start());
    try {
      return await process.generate(order);
    } finally {
      void process.end();
    }
  }

  async #loadedBy(starting: Promise<Started>): Promise<PluginProcess> {
    const { file } = this.#options;
    const { type } = file;
    const { process } = await starting.catch((error: unknown) => {
      if (!(error instanceof NotLoaded)) throw error;
      throw generationFailed(
        `The plug-in generator ${type} could not be loaded. ${withoutPlace(error.message, file)}`,
        {
          generator: type,
        },
      );
    });
    return process;
  }

  /** Takes nothing new, and what runs in it finishes. Resolves when nothing of it is left. */
  async retire(): Promise<void> {
    this.#retired = true;
    clearTimeout(this.#idleTimer);
    this.#drop();
    await Promise.allSettled(this.#starting);
    await Promise.all([...this.#processes].map(({ gone }) => gone));
  }

  /** Ends what runs, too. Resolves when nothing is left, but for what cannot be ended. */
  async close(): Promise<void> {
    this.#closed = true;
    void this.retire();
    await this.#endAll();
    await Promise.allSettled(this.#starting);
    await this.#endAll();
  }

  async #endAll(): Promise<void> {
    await Promise.all([...this.#processes].map((process) => process.end()));
  }

  #drop(): void {
    const current = this.#current;
    this.#current = null;
    this.#usable = null;
    current?.then(
      // Whoever waited for its start comes first, and is one of those that finish.
      ({ process }) => setImmediate(() => process.retire()),
      () => {},
    );
  }

  #ready(): Promise<Started> {
    if (this.#usable?.usable === false) this.#drop();
    if (this.#current !== null) return this.#current;
    const started = this.#start();
    this.#current = started;
    void this.#note(started);
    return started;
  }

  async #note(started: Promise<Started>): Promise<void> {
    const process = await started.then(
      (ready) => ready.process,
      () => null,
    );
    if (this.#current !== started) return;
    this.#usable = process;
    if (process === null) this.#current = null;
    else this.#rest(process);
  }

  #start(): Promise<Started> {
    const starting = this.#startProcess();
    const forget = (): void => void this.#starting.delete(starting);
    this.#starting.add(starting);
    starting.then(forget, forget);
    return starting;
  }

  async #startProcess(): Promise<Started> {
    const { start, file, maxBytes, loadMs } = this.#options;
    await this.#checkBeside();
    if (this.#closed) throw new NotLoaded("The host is stopping.", { passing: true });
    const program = await start(this.#order()).catch((error: unknown) => {
      throw error instanceof ScriptNotStarted ? new NotLoaded(error.message, { passing: true, cause: error }) : error;
    });
    const process = new PluginProcess({
      program,
      type: file.type,
      loadMs,
      maxBytes,
      onIdle: () => this.#rest(process),
    });
    this.#processes.add(process);
    void program.ended.then(() => this.#processes.delete(process));
    if (this.#closed) void process.end();
    const loaded = await process.loaded;
    if (loaded.ok) return { process, loaded };
    await process.end();
    throw new NotLoaded(loaded.message, loaded);
  }

  /** Its own file is checked where it is loaded. */
  async #checkBeside(): Promise<void> {
    const { folder, name, beside } = this.#options.file;
    if (beside.names.length === 0) return;
    const now = await digestWithBeside(folder, name, beside.names).catch(() => null);
    if (now?.whole !== this.#options.whole) throw new NotLoaded(CHANGED, { passing: true });
  }

  #order(): ProgramOrder {
    const { file, digest, log } = this.#options;
    return {
      provider: `generator-${file.type}`,
      packageDir: file.folder,
      command: process.execPath,
      args: [...FLAGS, file.path, digest],
      support: [GENERATOR_RUNNER],
      allowedEnv: this.#allowedEnv,
      onLine: (line) => log(`${file.place}: ${line}`),
    };
  }

  #rest(process: PluginProcess): void {
    if (this.#retired || this.#usable !== process) return;
    clearTimeout(this.#idleTimer);
    this.#idleTimer = setTimeout(() => {
      if (process.idle) process.retire();
    }, this.#options.idleMs).unref();
  }
}

interface NotLoadedOptions extends ErrorOptions {
  readonly passing: boolean;
  readonly untyped?: boolean;
}

/** Why a file did not become a generator. `passing`: it may another time. `untyped`: for want of type stripping. */
export class NotLoaded extends Error {
  override readonly name = "NotLoaded";
  readonly passing: boolean;
  readonly untyped: boolean;

  constructor(message: string, { passing, untyped = false, cause }: NotLoadedOptions) {
    super(message, cause === undefined ? {} : { cause });
    this.passing = passing;
    this.untyped = untyped;
  }
}
