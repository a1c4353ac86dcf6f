/**
 * A skill package as a provider: each call of a tool is one process of its script. It lists what it is told to list; what may
 * run was decided before a call comes here.
 */
import {
  EMPTY_CATALOGUE,
  type Catalogue,
  type Provider,
  type ProviderAnswer,
  type ProviderRequest,
  type ProviderStatus,
} from "../../../kernel/provider.ts";
import { declaresTasks } from "../../../kernel/tasks.ts";
import type { PackageListing, PackageProviderOptions } from "../package-listing.ts";
import { PackageTasks } from "./package-tasks.ts";
import type { ReadOutput } from "./read-output.ts";
import { acceptWith, closing, noSuchTool, notAccepted, notHere } from "./run-refusals.ts";
import { runTool, toolRunOf, type ToolRun } from "./run-tool.ts";
import { shareTurns, type SharedTurns } from "./shared-turns.ts";

export interface PackageProvider extends Provider {
  /** The last lines that its scripts wrote for people, oldest first, redacted. */
  logs(): readonly string[];
  /** Ends what runs; resolves when no process is left. */
  close(): Promise<void>;
  /** The command by which a person takes what is on disk. */
  readonly acceptWith: string;
}

const MAX_LINES = 200;

export const createPackageProvider = (options: PackageProviderOptions): PackageProvider => new Package(options);

class Package implements PackageProvider {
  readonly name: string;
  readonly acceptWith: string;
  readonly #options: PackageProviderOptions;
  readonly #shared: SharedTurns;
  readonly #tasks: PackageTasks;
  readonly #closing = new AbortController();
  readonly #running = new Set<Promise<ReadOutput>>();
  readonly #lines: string[] = [];
  readonly #since = Date.now();
  #closed: Promise<void> | null = null;
  #listing: PackageListing | null = null;
  #catalogue: Catalogue = EMPTY_CATALOGUE;

  constructor(options: PackageProviderOptions) {
    this.name = options.name;
    this.acceptWith = acceptWith(options.name);
    this.#options = options;
    this.#shared = shareTurns(options.run, options.name);
    this.#tasks = new PackageTasks(options.name);
  }

  status(): ProviderStatus {
    const isClosing = this.#closing.signal.aborted;
    return {
      state: isClosing ? "stopped" : "running",
      reason: isClosing ? "the skill package is being closed" : null,
      next: null,
      since: this.#since,
      retryAfterMs: null,
      version: this.#options.listed().version,
      restartsInWindow: 0,
      lastError: null,
    };
  }

  catalogue(): Catalogue {
    const listing = this.#options.listed();
    if (listing !== this.#listing) {
      this.#listing = listing;
      this.#catalogue = { ...EMPTY_CATALOGUE, tools: listing.tools };
    }
    return this.#catalogue;
  }

  whenReady(): Promise<boolean> {
    return Promise.resolve(!this.#closing.signal.aborted);
  }

  async send(request: ProviderRequest): Promise<ProviderAnswer> {
    switch (request.method) {
      case "tools/call":
        return this.#call(request);
      case "tasks/get":
        return this.#tasks.get(request.name);
      case "tasks/cancel":
        return this.#tasks.cancel(request.name, request.signal);
      default:
        throw notHere(this.name, request.method);
    }
  }

  watch(): false {
    return false;
  }

  logs(): readonly string[] {
    return [...this.#lines];
  }

  close(): Promise<void> {
    this.#closed ??= this.#end();
    return this.#closed;
  }

  async #end(): Promise<void> {
    this.#closing.abort();
    await Promise.allSettled(this.#running);
    await this.#tasks.settled();
    this.#shared.release();
  }

  async #call(request: ProviderRequest): Promise<ProviderAnswer> {
    if (this.#closing.signal.aborted) throw closing(this.name);
    const run = toolRunOf(this.#options.listed(), request) ?? this.#refuse(request.name);
    if (run.tool.execution === "async" && takesTask(request)) {
      // Looked at again when it starts; but what is refused now is no task at all.
      if (!(await this.#options.isIntact())) throw notAccepted(this.name);
      return this.#tasks.begin((signal) => this.#run({ ...run, signal }));
    }
    return { kind: "result", ...(await this.#run(run)) };
  }

  #refuse(name: string): never {
    const isListed = this.#options.listed().tools.some((listed) => listed.name === name);
    throw isListed ? notAccepted(this.name) : noSuchTool(this.name, name);
  }

  #run(run: ToolRun): Promise<ReadOutput> {
    const { signal: closed } = this.#closing;
    const signal = AbortSignal.any([run.signal, closed]);
    const { turns } = this.#shared;
    const onStderr = (line: string): void => this.#keep(line);
    const running = runTool({ ...run, signal }, { options: this.#options, turns, closing: closed, onStderr });
    this.#running.add(running);
    const forget = (): void => void this.#running.delete(running);
    running.then(forget, forget);
    return running;
  }

  #keep(line: string): void {
    this.#lines.push(line);
    if (this.#lines.length > MAX_LINES) this.#lines.shift();
  }
}

/** A task is given to a caller that comes back for it and says that it can; for all others the call takes as long as it takes. */
const takesTask = ({ asker }: ProviderRequest): boolean => asker.returns && declaresTasks(asker.declared);
