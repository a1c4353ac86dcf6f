/** What is found wrong in a manifest, counted whole and kept in part: a hostile one can be wrong a hundred thousand times. */
import type { ManifestFinding } from "./manifest.ts";

const MAX_KEPT = 100;

export class Findings {
  readonly #kept: ManifestFinding[] = [];
  #count = 0;

  get count(): number {
    return this.#count;
  }

  push({ pointer, message }: ManifestFinding): void {
    this.#count++;
    if (this.#kept.length < MAX_KEPT) this.#kept.push({ pointer, message });
  }

  /** The first ones, and behind them how many there are more. */
  list(): readonly ManifestFinding[] {
    const more = this.#count - this.#kept.length;
    return more === 0 ? this.#kept : [...this.#kept, { pointer: "", message: `and ${more} more` }];
  }
}
