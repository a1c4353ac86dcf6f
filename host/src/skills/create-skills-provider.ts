/**
 * The Agent-Skills folders of the host as a provider: listed, gated, read and recorded like anybody's, with the tools by which
 * agents read skills. It changes nothing. Without any folder it lists nothing and has read nothing but the names in its directories, which it looks
 * at again from time to time.
 */
import { setTimeout as delay } from "node:timers/promises";
import { createBuiltIn, type BuiltInTool } from "../kernel/built-in.ts";
import type { Catalogue, Provider, ProviderAnswer, ProviderRequest } from "../kernel/provider.ts";
import { rawJson } from "../kernel/raw-json.ts";
import { Refusal } from "../kernel/refusal.ts";
import { getSkill, readFile, readFolder } from "./answer-skills.ts";
import { Looking } from "./looking.ts";
import { EMPTY_SHELF, SkillLibrary, type Shelf } from "./skill-library.ts";

const NAME = "skills";

export interface SkillsOptions {
  /** Absolute paths, in load order; asked each time. */
  readonly dirs: () => readonly string[];
  readonly version: string;
  /** Under names that begin with `skills__`. */
  readonly tools: readonly BuiltInTool[];
  readonly onChange: () => void;
  readonly report: (error: unknown) => void;
  /** How often the directories are looked at. */
  readonly checkMs?: number;
}

export interface SkillsProvider extends Provider {
  /** Looks at the directories now; resolves when what it found is served. Never rejects. */
  refresh(): Promise<void>;
  close(): void;
}

export const createSkillsProvider = (options: SkillsOptions): SkillsProvider => new Skills(options);

class Skills implements SkillsProvider {
  readonly name = NAME;
  readonly #options: SkillsOptions;
  readonly #library = new SkillLibrary();
  readonly #first: Promise<void>;
  readonly #tools: Catalogue["tools"];
  #shelf: Shelf = EMPTY_SHELF;
  #catalogue: Catalogue;
  /** What was told last. */
  #listed: string | null = null;
  #since = Date.now();
  readonly #looking: Looking;

  constructor(options: SkillsOptions) {
    this.#options = options;
    const { version, tools } = options;
    this.#catalogue = createBuiltIn({ name: NAME, version, tools }).catalogue();
    this.#tools = this.#catalogue.tools;
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

  catalogue(): Catalogue {
    return this.#catalogue;
  }

  async whenReady(waitMs: number, signal: AbortSignal): Promise<boolean> {
    if (this.#listed !== null) return true;
    await Promise.race([this.#first, delay(waitMs, null, { signal, ref: false }).catch(() => null)]);
    return this.#listed !== null;
  }

  async send(request: ProviderRequest): Promise<ProviderAnswer> {
    const value: Record<string, unknown> = { ...(await this.#answer(request)) };
    return { kind: "result", json: rawJson(JSON.stringify(value)), isError: value["isError"] === true, value };
  }

  watch(): false {
    return false;
  }

  refresh(): Promise<void> {
    return this.#looking.refresh();
  }

  close(): void {
    void this.#looking.close();
  }

  #answer(request: ProviderRequest): object | Promise<object> {
    const { method, name } = request;
    if (method === "tools/call") return this.#run(request);
    if (method === "skills/get") return getSkill(this.#shelf, name);
    if (method === "resources/directory/read") return readFolder(this.#shelf, name);
    if (method !== "resources/read") throw notHere(method);
    return readFile(this.#shelf, name, ({ folder }) => {
      this.#library.forget(folder);
      void this.refresh();
    });
  }

  #run({ method, name, params, owner, signal, listener, facts }: ProviderRequest): Promise<object> {
    const tool = this.#options.tools.find(({ definition }) => definition.name === name);
    if (tool === undefined || facts === undefined) throw notHere(method);
    const { arguments: args = {} } = JSON.parse(`{${params}}`) as { arguments?: Record<string, unknown> };
    return tool.run(args, { owner, signal, listener, facts });
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
    this.#catalogue = { ...shelf.catalogue, tools: this.#tools };
    this.#options.onChange();
  }
}

const notHere = (method: string): Refusal =>
  new Refusal("upstream_failed", {
    message: `The host's skills have nothing that answers ${method}.`,
    next: "Read their files with resources/read, or list them with skills/list.",
  });
