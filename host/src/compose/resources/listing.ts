/**
 * The concrete resources that come and go: saved configs, stored contents, their versions, generators. Lists are asked for
 * without a pause, so what was last seen is kept, and looked at again when something is said to have changed and when it is old.
 */
import type { ListedResource, MoreResources } from "../../kernel/provider.ts";
import type { ConfigType } from "../configs/config-types.ts";
import type { ComposeResources } from "../documents/compose-families.ts";
import { ListedConfigs } from "./listed-configs.ts";
import { ListedContents } from "./listed-contents.ts";
import { ListedGenerators } from "./listed-generators.ts";
import type { ResourceParts } from "./resource-parts.ts";
import { readResourceUri, uriOf, type ResourceUri, type UriOfKind } from "./resource-uri.ts";
import { SCHEMAS } from "./schemas.ts";

/** People save configs and plug-ins by hand. */
const OLD_MS = 5_000;

export interface ListingOptions {
  readonly parts: ResourceParts;
  /** The list is another one now. */
  readonly onList: () => void;
  /** These are not what they were, and nobody had said so. */
  readonly onFound: (resources: readonly ResourceUri[]) => void;
  readonly report: (error: unknown) => void;
}

/** What is to be looked at: one config, one content, or all generators. */
type Task = UriOfKind<"config" | "content" | "generators">;

export class Listing implements MoreResources {
  readonly #options: ListingOptions;
  readonly #configs: Readonly<Record<ConfigType, ListedConfigs>> = {
    content: new ListedConfigs("content"),
    artifact: new ListedConfigs("artifact"),
  };
  readonly #contents = new ListedContents();
  readonly #generators = new ListedGenerators();
  /** Null: to be joined anew. */
  #joined: readonly ListedResource[] | null = null;
  #tasks = new Map<string, UriOfKind<"config" | "content">>();
  #catching: Promise<void> | null = null;
  #areGeneratorsOld = false;
  /** Apart: plug-ins may take long to load, and nobody waits for that to find a text that was made. */
  #catchingGenerators: Promise<void> | null = null;
  #looking: Promise<void> | null = null;
  /** What is looked at by itself while all is looked at: what was read for that may be older. */
  readonly #done = new Set<string>();
  /** Never yet. */
  #lookedAt = Number.NEGATIVE_INFINITY;
  #isFirst = true;
  #isOther = false;

  constructor(options: ListingOptions) {
    this.#options = options;
    this.#notice();
  }

  /** The same array while nothing changed. */
  list(): readonly ListedResource[] {
    this.#notice();
    return (this.#joined ??= this.#join());
  }

  has(uri: string): boolean {
    const resource = readResourceUri(uri);
    switch (resource?.kind) {
      case "config":
        return this.#configs[resource.type].has(resource.id);
      case "content":
      case "version":
        return this.#contents.has(resource);
      case "generator":
        return this.#generators.has(resource.id);
      default:
        return false;
    }
  }

  /** As it was last seen. */
  seen(): ComposeResources {
    return {
      contentConfigs: this.#configs.content.ids(),
      artifactConfigs: this.#configs.artifact.ids(),
      schemas: [...SCHEMAS.keys()],
      contents: this.#contents.latest(),
      generators: this.#generators.types(),
    };
  }

  lookAt(task: Task): void {
    if (task.kind === "generators") {
      this.#areGeneratorsOld = true;
      this.#catchingGenerators ??= this.#catchUpGenerators();
      return;
    }
    this.#tasks.set(uriOf(task), task);
    this.#catching ??= this.#catchUp();
  }

  /** Nothing of what was seen is old or known to have changed. */
  isRecent(): boolean {
    this.#notice();
    return this.#looking === null && this.#catching === null && this.#catchingGenerators === null;
  }

  /** Resolves when all texts and configs that are known to have changed were looked at. Never rejects. */
  caughtUp(): Promise<void> {
    return this.#catching ?? Promise.resolve();
  }

  /** The same, and generators, and what is old too. */
  async look(): Promise<void> {
    this.#notice();
    await this.#looking;
    await this.#catching;
    await this.#catchingGenerators;
  }

  #notice(): void {
    const { now, generators } = this.#options.parts;
    if (Math.abs(now().getTime() - this.#lookedAt) >= OLD_MS) this.#looking ??= this.#lookAtAll();
    else if (!this.#generators.isOf(generators.seen())) this.lookAt({ kind: "generators" });
  }

  async #catchUp(): Promise<void> {
    // Later: whoever says that something changed is not told of the list before it has gone on.
    await Promise.resolve();
    while (this.#tasks.size > 0) {
      const tasks = this.#tasks;
      this.#tasks = new Map();
      for (const [uri, task] of tasks) {
        if (this.#looking !== null) this.#done.add(uri);
        await this.#try(() => this.#see(task));
      }
      await this.#tellList();
    }
    // Without a pause after the last look at what is to be done: nothing that comes now is forgotten.
    this.#catching = null;
  }

  async #catchUpGenerators(): Promise<void> {
    await Promise.resolve();
    while (this.#areGeneratorsOld) {
      this.#areGeneratorsOld = false;
      await this.#try(() => this.#seeGenerators());
      await this.#tellList();
    }
    this.#catchingGenerators = null;
  }

  async #lookAtAll(): Promise<void> {
    await Promise.resolve();
    await this.#seeAll();
    this.#looking = null;
    this.#done.clear();
    await this.#tellList();
  }

  async #tellList(): Promise<void> {
    if (!this.#isOther) return;
    this.#isOther = false;
    this.#joined = null;
    await this.#try(this.#options.onList);
  }

  async #try(work: () => void | Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      this.#options.report(error);
    }
  }

  async #see(task: UriOfKind<"config" | "content">): Promise<void> {
    const { versions, saved } = this.#options.parts;
    if (task.kind === "content") {
      this.#takeContent(task.id, await versions.versionsOf(task.id));
      return;
    }
    const { isListedOtherwise } = this.#configs[task.type].take(task.id, await saved.find(task.type, task.id));
    this.#isOther ||= isListedOtherwise;
  }

  async #seeAll(): Promise<void> {
    this.#lookedAt = this.#options.parts.now().getTime();
    await this.#try(() => this.#seeContents());
    await this.#try(() => this.#seeConfigs("content"));
    await this.#try(() => this.#seeConfigs("artifact"));
    await this.#try(() => this.#seeGenerators());
    this.#isFirst = false;
  }

  async #seeContents(): Promise<void> {
    const { versions } = this.#options.parts;
    const ids = new Set([...(await versions.contentIds()), ...this.#contents.ids()]);
    for (const id of ids) {
      const stored = await versions.versionsOf(id);
      if (this.#done.has(uriOf({ kind: "content", id }))) continue;
      const isOther = this.#takeContent(id, stored);
      if (isOther) this.#found([{ kind: "content", id }]);
    }
  }

  #takeContent(id: string, versions: Parameters<ListedContents["take"]>[1]): boolean {
    const { isOther, gone } = this.#contents.take(id, versions);
    this.#isOther ||= isOther;
    this.#found(gone.map((version) => ({ kind: "version", id, version })));
    return isOther;
  }

  async #seeConfigs(type: ConfigType): Promise<void> {
    const listed = this.#configs[type];
    const configs = new Map((await this.#options.parts.saved.list(type)).map((config) => [config.id, config]));
    const others: ResourceUri[] = [];
    for (const id of new Set([...configs.keys(), ...listed.ids()])) {
      if (this.#done.has(uriOf({ kind: "config", type, id }))) continue;
      const { isOther, isListedOtherwise } = listed.take(id, configs.get(id) ?? null);
      this.#isOther ||= isListedOtherwise;
      if (isOther) others.push({ kind: "config", type, id });
    }
    this.#found(others);
  }

  async #seeGenerators(): Promise<void> {
    const others = this.#generators.take(await this.#options.parts.generators.look());
    this.#isOther ||= others.length > 0;
    this.#found(others.map((id) => ({ kind: "generator", id })));
  }

  #found(resources: readonly ResourceUri[]): void {
    if (resources.length > 0 && !this.#isFirst) this.#options.onFound(resources);
  }

  #join(): readonly ListedResource[] {
    const all: ListedResource[] = [];
    this.#configs.content.append(all);
    this.#configs.artifact.append(all);
    this.#contents.append(all);
    this.#generators.append(all);
    return all;
  }
}
