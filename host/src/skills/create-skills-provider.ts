/**
 * The Agent-Skills folders of the host as a provider: listed, gated, read and recorded like anybody's. It has no tools and
 * changes nothing. Without any folder it lists nothing and has read nothing but the names in its directories, which it looks
 * at again from time to time.
 */
import { setTimeout as delay } from "node:timers/promises";
import type { Provider, ProviderAnswer, ProviderRequest } from "../kernel/provider.ts";
import { rawJson } from "../kernel/raw-json.ts";
import { Refusal } from "../kernel/refusal.ts";
import { getSkill, readFile, readFolder } from "./answer-skills.ts";
import { Looking } from "./looking.ts";
import type { Skill } from "./skill.ts";
import { EMPTY_SHELF, SkillLibrary, type Shelf } from "./skill-library.ts";

const NAME = "skills";

export interface SkillsOptions {
  /** Absolute paths, in load order; asked each time. */
  readonly dirs: () => readonly string[];
  readonly version: string;
  readonly onChange: () => void;
  readonly report: (error: unknown) => void;
  /** How often the directories are looked at. */
  readonly checkMs?: number;
}

export interface SkillsProvider extends Provider {
  /** Looks at the directories now; resolves when what it found is served. Never rejects. */
  refresh(): Promise<void>;
  /** Those that are served, in load order. */
  served(): readonly Skill[];
  close(): void;
}

export const createSkillsProvider = (options: SkillsOptions): SkillsProvider => new Skills(options);

class Skills implements SkillsProvider {
  readonly name = NAME;
  readonly #options: SkillsOptions;
  readonly #library = new SkillLibrary();
  readonly #first: Promise<void>;
  #shelf: Shelf = EMPTY_SHELF;
  /** What was told last. */
  #listed: string | null = null;
  #since = Date.now();
  readonly #looking: Looking;

  constructor(options: SkillsOptions) {
    this.#options = options;
    this.#looking = new Looking({ look: () => this.#look(), checkMs: options.checkMs });
    this.#first = this.refresh();
  }

  status(): ReturnType<Provider["status"]> {
    return {
      state: this.#listed === null ? "starting" : "running",
      reason: null,
      next: null,
      since: this.#since,
      retryAfterMs: null,
      version: this.#options.version,
      restartsInWindow: 0,
      lastError: null,
    };
  }

  catalogue(): Shelf["catalogue"] {
    return this.#shelf.catalogue;
  }

  async whenReady(waitMs: number, signal: AbortSignal): Promise<boolean> {
    if (this.#listed !== null) return true;
    await Promise.race([this.#first, delay(waitMs, null, { signal, ref: false }).catch(() => null)]);
    return this.#listed !== null;
  }

  async send(request: ProviderRequest): Promise<ProviderAnswer> {
    const value = { ...(await this.#answer(request)) };
    return { kind: "result", json: rawJson(JSON.stringify(value)), isError: false, value };
  }

  watch(): false {
    return false;
  }

  refresh(): Promise<void> {
    return this.#looking.refresh();
  }

  served(): readonly Skill[] {
    return [...this.#shelf.skills.values()];
  }

  close(): void {
    void this.#looking.close();
  }

  #answer({ method, name }: ProviderRequest): object | Promise<object> {
    if (method === "skills/get") return getSkill(this.#shelf, name);
    if (method === "resources/directory/read") return readFolder(this.#shelf, name);
    if (method !== "resources/read") throw notHere(method);
    return readFile(this.#shelf, name, ({ folder }) => {
      this.#library.forget(folder);
      void this.refresh();
    });
  }

  async #look(): Promise<void> {
    const { dirs, report } = this.#options;
    try {
      this.#take(await this.#library.load(dirs()));
    } catch (bug) {
      report(bug);
      this.#take(this.#shelf);
    }
  }

  #take(shelf: Shelf): void {
    const { skills, defects } = shelf.catalogue;
    const listed = JSON.stringify([skills?.map(({ json }) => json), defects]);
    if (this.#listed === null) this.#since = Date.now();
    this.#shelf = shelf;
    if (this.#looking.closed || listed === this.#listed) return;
    this.#listed = listed;
    this.#options.onChange();
  }
}

const notHere = (method: string): Refusal =>
  new Refusal("upstream_failed", {
    message: `The host's skills have nothing that answers ${method}.`,
    next: "Read their files with resources/read, or list them with skills/list.",
  });
