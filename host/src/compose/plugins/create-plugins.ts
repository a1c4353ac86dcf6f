/**
 * The plug-in generators of one workspace: its own, and those of all workspaces. Every look compares the folders with what is
 * known, so that a file that was added, changed or removed is seen by it. No code of a plug-in runs in the host's process.
 */
import { basename, join } from "node:path";
import { ComposeError } from "../compose-error.ts";
import type { GeneratorEntry } from "../generators/generator-entry.ts";
import { knowPlugin, type KnownPlugin, type PluginChange, type RejectedPlugin } from "./known-plugin.ts";
import type { StartProgram } from "../../kernel/program.ts";
import { listPluginFiles, pluginFolders, typeOfName, type PluginFile, type PluginFiles } from "./plugin-files.ts";
import type { PluginOrder } from "./plugin-process.ts";
import type { Plugin } from "./plugin.ts";
import { RecordedPlugins } from "./recorded-plugins.ts";
import { WatchedFolders } from "./watch-folders.ts";

export interface PluginsOptions {
  readonly workDir: string;
  readonly workspace: string;
  /** For what was recorded of them. No plug-in writes there. */
  readonly dataDir: string;
  readonly start: StartProgram;
  /** Of one text. */
  readonly maxBytes: number;
  /** Names of the host's variables that an operator lets this generator have. */
  readonly granted: (type: string) => readonly string[];
  /** Records a change; nothing of the file is run before. */
  readonly changed: (change: PluginChange) => Promise<void>;
  /** There is something new to read. */
  readonly onSeen: () => void;
  /** What plug-ins print. */
  readonly log: (line: string) => void;
  /** What went wrong while nobody asked. */
  readonly fault: (message: string) => void;
  readonly loadMs?: number;
  readonly idleMs?: number;
}

/** The same object as long as it says the same. */
export interface PluginsSeen {
  /** By path: those of all workspaces first. */
  readonly entries: readonly GeneratorEntry[];
  readonly rejected: readonly RejectedPlugin[];
}

export interface Generated {
  readonly text: string;
  /** Of the plug-in that made it. */
  readonly version: string;
}

export interface Plugins {
  look(): Promise<PluginsSeen>;
  /**
   * Runs at once: whoever calls it has checked its needs (`preflight`) and has its turn. Rejects with ComposeError, or with
   * the signal's reason.
   */
  generate(type: string, order: PluginOrder): Promise<Generated>;
  close(): Promise<void>;
}

const LOAD_MS = 5_000;
const IDLE_MS = 60_000;
const LOADS_AT_ONCE = 4;
const MAX_FILES = 200;
const MAX_PASSES = 3;

export const createPlugins = (options: PluginsOptions): Plugins => new WorkspacePlugins(options);

class WorkspacePlugins implements Plugins {
  readonly #options: PluginsOptions;
  readonly #folders: readonly string[];
  readonly #watched: WatchedFolders;
  readonly #recorded: RecordedPlugins;
  /** By path. */
  readonly #known = new Map<string, KnownPlugin>();
  #generators: ReadonlyMap<string, { readonly plugin: Plugin; readonly entry: GeneratorEntry }> = new Map();
  #seen: PluginsSeen = { entries: [], rejected: [] };
  /** What the folders hold beside what is known. */
  #beside = "";
  /** Retired ones in which something still runs. */
  readonly #leaving = new Set<Plugin>();
  #last: Promise<unknown> = Promise.resolve();
  #next: Promise<PluginsSeen> | null = null;
  /** Ends what is being loaded, too. */
  readonly #closing = new AbortController();

  constructor(options: PluginsOptions) {
    this.#options = options;
    this.#folders = pluginFolders(options.workDir, options.workspace);
    this.#recorded = new RecordedPlugins(join(options.dataDir, "recorded.json"));
    this.#watched = new WatchedFolders(this.#folders, () => {
      this.look().catch((error: unknown) => options.fault(`plug-ins were not looked at: ${(error as Error).message}`));
    });
  }

  /** One that has begun may have missed what came since, so it is another one that is waited for. */
  look(): Promise<PluginsSeen> {
    if (this.#next !== null) return this.#next;
    const begin = (): Promise<PluginsSeen> => {
      this.#next = null;
      return this.#look();
    };
    const next = this.#last.then(begin, begin);
    this.#next = next;
    this.#last = next;
    return next;
  }

  async generate(type: string, order: PluginOrder): Promise<Generated> {
    await this.look();
    const found = this.#generators.get(type);
    if (found === undefined || this.#closing.signal.aborted) throw notFound(type);
    const { plugin, entry } = found;
    const granted = new Set(this.#options.granted(type));
    plugin.grant((entry.upstream_dependencies?.credentials_required ?? []).filter((name) => granted.has(name)));
    return { text: await plugin.generate(order), version: entry.version };
  }

  async close(): Promise<void> {
    this.#closing.abort();
    this.#watched.close();
    await this.#last.catch(() => null);
    const all = [...this.#known.values()].flatMap(({ generator }) => generator?.plugin ?? []);
    await Promise.all([...all, ...this.#leaving].map((plugin) => plugin.close()));
  }

  async #look(): Promise<PluginsSeen> {
    const { signal: closing } = this.#closing;
    if (closing.aborted) return this.#seen;
    this.#watched.watch();
    let isNew = false;
    for (let pass = 1; ; pass++) {
      const found = listPluginFiles(this.#options.workDir, this.#folders);
      const files = found.files.slice(0, MAX_FILES);
      const removed = await this.#removeOthers(files);
      const changed = await this.#loadChanged(files);
      await this.#keepRecorded();
      if (closing.aborted) return this.#seen;
      isNew ||= removed || changed;
      // What changed while it was loaded is loaded again.
      if ((!removed && !changed) || pass === MAX_PASSES) return this.#tell({ files, found, isNew });
    }
  }

  /** Without it, the next start records again what it finds. */
  async #keepRecorded(): Promise<void> {
    try {
      await this.#recorded.keep();
    } catch (error) {
      this.#options.fault(`which plug-ins were recorded could not be noted: ${(error as Error).message}`);
    }
  }

  #tell({ files, found, isNew }: { files: readonly PluginFile[]; found: PluginFiles; isNew: boolean }): PluginsSeen {
    const beside = JSON.stringify([
      found.unreadable,
      found.odd,
      found.files.slice(MAX_FILES).map(({ place }) => place),
    ]);
    if (!isNew && beside === this.#beside) return this.#seen;
    this.#beside = beside;
    const seen = this.#list(files, found);
    if (JSON.stringify(seen) === JSON.stringify(this.#seen)) return this.#seen;
    this.#seen = seen;
    this.#options.onSeen();
    return seen;
  }

  async #removeOthers(files: readonly PluginFile[]): Promise<boolean> {
    const there = new Set(files.map(({ path }) => path));
    const gone = [...this.#known].filter(([path]) => !there.has(path));
    for (const [path, { generator }] of gone) {
      this.#retire(generator?.plugin);
      this.#known.delete(path);
    }
    const places = new Set(files.map(({ place }) => place));
    for (const [place, digest] of await this.#recorded.all()) {
      if (!places.has(place)) await this.#recordGone(place, digest);
    }
    return gone.length > 0;
  }

  async #recordGone(place: string, digest: string | null): Promise<void> {
    try {
      await this.#options.changed({ type: typeOfName(basename(place)) ?? "", path: place, digest, what: "removed" });
      await this.#recorded.forget(place);
    } catch (error) {
      // It stays where it is, so that the next look records it.
      this.#options.fault(`${place}: that it is gone was not recorded: ${(error as Error).message}`);
    }
  }

  async #loadChanged(files: readonly PluginFile[]): Promise<boolean> {
    const { loadMs = LOAD_MS, idleMs = IDLE_MS } = this.#options;
    const now = Date.now();
    const waiting = files.filter(({ path, signature }) => {
      const known = this.#known.get(path);
      return known?.file.signature !== signature || (known.againAt !== null && known.againAt <= now);
    });
    const changed = waiting.length > 0;
    const { signal: closing } = this.#closing;
    const work = async (): Promise<void> => {
      for (let file = waiting.shift(); file !== undefined && !closing.aborted; file = waiting.shift()) {
        const before = this.#known.get(file.path) ?? null;
        const after = await knowPlugin(file, before, {
          ...this.#options,
          recorded: this.#recorded,
          closing,
          loadMs,
          idleMs,
        });
        this.#retire(before?.generator?.plugin);
        this.#known.set(file.path, after);
      }
    };
    // Whatever becomes of one, the others are loaded, and none of them goes on when the next look begins.
    for (const end of await Promise.allSettled(Array.from({ length: LOADS_AT_ONCE }, work))) {
      if (end.status === "rejected") this.#options.fault(`a plug-in was not loaded: ${(end.reason as Error).message}`);
    }
    return changed;
  }

  #retire(plugin: Plugin | undefined): void {
    if (plugin === undefined) return;
    this.#leaving.add(plugin);
    void plugin.retire().finally(() => this.#leaving.delete(plugin));
  }

  #list(files: readonly PluginFile[], { files: all, unreadable, odd }: PluginFiles): PluginsSeen {
    const generators = new Map<string, { readonly plugin: Plugin; readonly entry: GeneratorEntry }>();
    const rejected: RejectedPlugin[] = unreadable.map(({ place, code }) => ({
      plugin_path: place,
      reason_code: "load_failed",
      message: `The folder cannot be read (${code}); let the host read it.`,
    }));
    for (const { path, type, name } of files) {
      const known = this.#known.get(path);
      if (known?.rejected != null) rejected.push(known.rejected);
      else if (generators.has(type)) rejected.push(takenBy(generators.get(type)!.entry, name));
      else if (known?.generator != null) generators.set(type, known.generator);
    }
    rejected.push(...odd.map(noFile), ...all.slice(MAX_FILES).map(({ name }) => tooMany(name)));
    this.#generators = generators;
    return { entries: [...generators.values()].map(({ entry }) => entry), rejected };
  }
}

const takenBy = ({ type, plugin_path: path }: GeneratorEntry, name: string): RejectedPlugin => ({
  plugin_path: name,
  reason_code: "type_taken",
  message: `The type ${type} belongs to the plug-in ${path}, which comes first; choose another.`,
});

const noFile = (name: string): RejectedPlugin => ({
  plugin_path: name,
  reason_code: "load_failed",
  message: "It is no file, or a link to none; put the file itself there.",
});

const tooMany = (name: string): RejectedPlugin => ({
  plugin_path: name,
  reason_code: "load_failed",
  message: `A workspace has at most ${MAX_FILES} plug-ins; remove some.`,
});

const notFound = (type: string): ComposeError =>
  new ComposeError("generator_not_found", `There is no plug-in generator ${JSON.stringify(type)}.`, {
    generator: type,
    next: "Call list_generators, and name one of them in generation.patterns[0].type.",
  });
