/**
 * What is known of an entry to which each principal has a connection of its own: as the connection that listed last shows
 * it, but for resources, which may be somebody's own. What is held is held for all of them.
 */
import type { Acceptance, HeldDefinition } from "../../kernel/bundle-admin.ts";
import { EMPTY_CATALOGUE, type Catalogue } from "../../kernel/provider.ts";
import type { DefinitionsFile } from "../definitions-file.ts";
import { withoutResources } from "../without-resources.ts";
import { chooseHeld } from "./choose-held.ts";
import { PinnedCatalogue } from "./pinned-catalogue.ts";
import type { Pins } from "./pins.ts";

export interface LearnedCatalogueOptions {
  readonly name: string;
  readonly pins: Pins;
  readonly definitions: DefinitionsFile;
  /** Those of all connections. */
  readonly all: () => readonly PinnedCatalogue[];
}

export class LearnedCatalogue {
  readonly #options: LearnedCatalogueOptions;
  #last: PinnedCatalogue;
  #listed: Catalogue = EMPTY_CATALOGUE;
  #catalogue: Catalogue = EMPTY_CATALOGUE;

  constructor(options: LearnedCatalogueOptions) {
    this.#options = options;
    this.#last = new PinnedCatalogue(options.pins);
  }

  /** The same object as long as the same was listed, because others go by that. */
  get catalogue(): Catalogue {
    return this.#catalogue;
  }

  /** Reads what was listed when the host last ran; answers its version. */
  async recall(): Promise<string | null> {
    await this.#options.pins.read();
    const known = await this.#options.definitions.read();
    if (known === null) return null;
    this.#last.recall(known);
    this.learn(this.#last);
    return known.version;
  }

  async settled(): Promise<void> {
    await Promise.all([this.#options.definitions.settled(), this.#options.pins.settled()]);
  }

  async forget(): Promise<void> {
    await Promise.all([this.#options.definitions.forget(), this.#options.pins.forget()]);
  }

  learn(pinned: PinnedCatalogue): void {
    this.#last = pinned;
    if (this.#listed === pinned.shown) return;
    this.#listed = pinned.shown;
    this.#catalogue = withoutResources(pinned.shown);
  }

  /** Every tool once, as the first connection that lists it so has it. */
  held(): readonly HeldDefinition[] {
    const found = new Map<string | null, HeldDefinition>();
    for (const { held } of this.#all()) for (const each of held) if (!found.has(each.tool)) found.set(each.tool, each);
    return [...found.values()];
  }

  accept(yes: Acceptance): readonly HeldDefinition[] {
    const items = chooseHeld(this.#options.name, this.held(), yes);
    for (const pinned of this.#all()) {
      const own = pinned.held.filter((each) => items.includes(each));
      if (own.length > 0) pinned.accept(own);
    }
    for (const pinned of this.#all()) pinned.review();
    this.learn(this.#last);
    return items;
  }

  #all(): ReadonlySet<PinnedCatalogue> {
    return new Set([this.#last, ...this.#options.all()]);
  }
}
