/**
 * One open workspace: its bundles, the file that configures them, and the way from a changed file to changed bundles. What
 * is wrong with a new file changes nothing that runs.
 */
import { formatFinding, type BundleEntry, type Config, type Finding } from "@bailiwick/contract";
import { join } from "node:path";
import type { ApplyOrder, Bundles } from "../bundles/create-bundles.ts";
import type { Sources } from "../bundles/sources/create-sources.ts";
import type { Reloaded } from "../kernel/bundle-admin.ts";
import type { Conversations } from "../kernel/conversation.ts";
import { HostError } from "../kernel/host-error.ts";
import { Refusal } from "../kernel/refusal.ts";
import type { WorkspaceEvent } from "../kernel/workspace-event.ts";
import { changedKeys } from "./changed-keys.ts";
import type { ConfigFile } from "./config-file.ts";
import type { ServedCompose } from "./serve-compose.ts";
import type { ServedSkills } from "./serve-skills.ts";

export interface ReadSettings {
  /** Null when there are errors. */
  readonly config: Config | null;
  readonly errors: readonly Finding[];
  readonly warnings: readonly Finding[];
}

/** The configuration that a workspace's bundles read; replaced whole. */
export interface Settings {
  config: Config;
}

export interface WorkspaceRoomOptions {
  readonly id: string;
  readonly bundles: Bundles;
  /** As they are now. */
  readonly sources: () => Sources;
  readonly file: ConfigFile;
  readonly settings: Settings;
  /** Where its bundles keep their data. */
  readonly dataDir: string;
  /** Text of the file to settings; null: there is no file. */
  readonly parse: (text: string | null) => ReadSettings;
  readonly tell: (event: WorkspaceEvent) => void;
  /** Rejects where it is not durable. */
  readonly record: (type: string, data: object) => Promise<void>;
  /** What identifies an entry, hashed. */
  readonly sourceOf: (entry: BundleEntry) => string;
  /** Hears of settings that were taken over. */
  readonly taken: () => void;
  readonly skills: ServedSkills;
  readonly compose: ServedCompose;
  readonly conversations: Conversations;
}

export class WorkspaceRoom {
  readonly id: string;
  readonly bundles: Bundles;
  readonly file: ConfigFile;
  /** Told to those who follow the workspace, and recorded. */
  readonly tell: (event: WorkspaceEvent) => void;
  readonly #options: WorkspaceRoomOptions;
  /** What holds until the host is started anew, where a key needs that. */
  readonly #boot: Config;
  /** What a reload that is under way goes back to if it fails. */
  #fallback: Settings | null = null;

  constructor(options: WorkspaceRoomOptions) {
    this.id = options.id;
    this.bundles = options.bundles;
    this.file = options.file;
    this.tell = options.tell;
    this.#options = options;
    this.#boot = options.settings.config;
  }

  get sources(): Sources {
    return this.#options.sources();
  }

  get skills(): ServedSkills {
    return this.#options.skills;
  }

  get compose(): ServedCompose {
    return this.#options.compose;
  }

  get conversations(): Conversations {
    return this.#options.conversations;
  }

  get config(): Config {
    return this.#options.settings.config;
  }

  sourceOf(entry: BundleEntry): string {
    return this.#options.sourceOf(entry);
  }

  dataPath(provider: string): string {
    return join(this.#options.dataDir, provider);
  }

  /** Resolves when no process of any bundle is left. */
  async stop(): Promise<void> {
    const { skills, compose, conversations } = this.#options;
    await Promise.all([skills.close(), compose.close(), conversations.close(), this.bundles.stop()]);
  }

  /** After a sign that the file may have changed. The host's own writes are no news. */
  async noticed(): Promise<void> {
    await this.#take((isNews) => isNews);
  }

  /** Refusal `bad_request` where the file cannot be used. */
  async reload(): Promise<Reloaded> {
    const reloaded = await this.#take(() => true);
    if (reloaded === null) throw new HostError("a reload that was asked for did not take place");
    return reloaded;
  }

  /** The host has changed it itself: that is in force already, and stays so whatever becomes of a reload. */
  adopt(change: (config: Config) => Config): void {
    const { settings } = this.#options;
    settings.config = change(settings.config);
    if (this.#fallback !== null) this.#fallback.config = change(this.#fallback.config);
  }

  async #take(isWanted: (isNews: boolean) => boolean): Promise<Reloaded | null> {
    const { bundles, settings, record, taken } = this.#options;
    const fallback: Settings = { config: settings.config };
    let text: string | null = null;
    let read: TakenSettings = { needRestart: [], warnings: [], keys: [] };
    const order: ApplyOrder = {
      take: async () => {
        const seen = await this.file.look().catch((error: Error) => {
          throw this.#rejected([error.message]);
        });
        if (!isWanted(seen.isNews)) return false;
        ({ text } = seen);
        fallback.config = settings.config;
        this.#fallback = fallback;
        read = this.#read(text);
        return true;
      },
      commit: async (entries) => {
        await record("config_reload_begun", { ...entries, ...read });
        this.file.took(text);
      },
      undo: () => {
        settings.config = fallback.config;
      },
    };
    const applied = await bundles.apply(order).finally(() => {
      if (this.#fallback === fallback) this.#fallback = null;
    });
    if (applied === null) return null;
    const { keys, ...rest } = read;
    const report = { ...applied, ...rest };
    this.tell({ type: "config.reloaded", data: { ...report, keys } });
    taken();
    this.skills.changed();
    return report;
  }

  #read(text: string | null): TakenSettings {
    const { parse, settings } = this.#options;
    const { config, errors, warnings } = parse(text);
    if (config === null) {
      this.file.took(text);
      throw this.#rejected(errors.map(formatFinding));
    }
    const { inForce, live, needRestart } = changedKeys({ boot: this.#boot, now: settings.config, after: config });
    settings.config = inForce;
    return { needRestart, warnings: warnings.map(formatFinding), keys: live };
  }

  #rejected(errors: readonly string[]): Refusal {
    const { file } = this.file;
    this.tell({ type: "config.rejected", data: { file, errors } });
    return new Refusal("bad_request", {
      message: `${file ?? "The configuration"} cannot be used, so nothing changed: ${errors.slice(0, 10).join("; ")}.`,
      next: "Correct it and reload again: bailiwick reload",
      details: { errors },
    });
  }
}

interface TakenSettings extends Pick<Reloaded, "needRestart" | "warnings"> {
  /** What is in force already. */
  readonly keys: readonly string[];
}
