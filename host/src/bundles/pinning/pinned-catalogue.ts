/**
 * What one connection lists, and what of it may be shown: the two differ while definitions are held. Connections of one
 * entry share their pins.
 */
import type { HeldDefinition } from "../../kernel/bundle-admin.ts";
import { EMPTY_CATALOGUE, type Catalogue } from "../../kernel/provider.ts";
import type { Listing } from "./accepted-set.ts";
import type { Pins } from "./pins.ts";

export class PinnedCatalogue {
  readonly #pins: Pins;
  #listing: Listing | null = null;
  #shown: Catalogue = EMPTY_CATALOGUE;
  #held: readonly HeldDefinition[] = [];

  constructor(pins: Pins) {
    this.#pins = pins;
  }

  /** The same object as long as nothing was listed or accepted. */
  get shown(): Catalogue {
    return this.#shown;
  }

  get held(): readonly HeldDefinition[] {
    return this.#held;
  }

  list(listing: Listing): void {
    this.#judge(listing, false);
  }

  /** What was listed when the host last ran. */
  recall(listing: Listing): void {
    this.#judge(listing, true);
  }

  /** A person's yes to some of what is held here. */
  accept(items: readonly HeldDefinition[]): void {
    if (this.#listing === null) return;
    this.#pins.accept(items, this.#listing, items.length === this.#held.length);
    this.review();
  }

  /** Something was accepted, here or by way of another connection. */
  review(): void {
    if (this.#listing !== null && this.#held.length > 0) this.#judge(this.#listing, true);
  }

  #judge(listing: Listing, known: boolean): void {
    this.#listing = listing;
    const { shown, held } = this.#pins.judge(listing, known);
    this.#shown = shown;
    this.#held = held;
  }
}
