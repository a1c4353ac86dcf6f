/**
 * The row of each of up to 32,768 keys, the highest that was set. Numbers in arrays, because as many strings in a map would
 * have to be looked through by every collection of garbage.
 */
import type { KeyWords } from "./key-words.ts";

const TABLE_KEYS = 32_768;
/** Twice as many, so that few keys meet. */
const SLOTS = 65_536;

export class KeyTable {
  /** Four of each key, in the order in which they came. */
  readonly #words = new Uint32Array(4 * TABLE_KEYS);
  readonly #rows = new Float64Array(TABLE_KEYS);
  /** Place of a key + 1; 0: none. */
  readonly #slots = new Uint16Array(SLOTS);
  #size = 0;

  get size(): number {
    return this.#size;
  }

  get isFull(): boolean {
    return this.#size === TABLE_KEYS;
  }

  /** Of a new key only while it is not full. */
  set(key: KeyWords, row: number): void {
    const slot = this.#slotOf(key);
    let place = (this.#slots[slot] ?? 0) - 1;
    if (place === -1) {
      place = this.#size++;
      this.#slots[slot] = place + 1;
      this.#words.set(key, 4 * place);
    }
    // Large replies of a commit have rows of their own, which are written before that of the small ones.
    this.#rows[place] = Math.max(row, this.#rows[place] ?? 0);
  }

  /** Null: it was never set. */
  get(key: KeyWords): number | null {
    const place = (this.#slots[this.#slotOf(key)] ?? 0) - 1;
    return place === -1 ? null : this.rowAt(place);
  }

  keyAt(place: number): KeyWords {
    const at = 4 * place;
    const words = this.#words;
    return [words[at] ?? 0, words[at + 1] ?? 0, words[at + 2] ?? 0, words[at + 3] ?? 0];
  }

  rowAt(place: number): number {
    return this.#rows[place] ?? 0;
  }

  /** Where the key is, or else where it belongs. */
  #slotOf([a, b, c, d]: KeyWords): number {
    const words = this.#words;
    for (let slot = a & (SLOTS - 1); ; slot = (slot + 1) & (SLOTS - 1)) {
      const at = 4 * ((this.#slots[slot] ?? 0) - 1);
      if (at < 0 || (words[at] === a && words[at + 1] === b && words[at + 2] === c && words[at + 3] === d)) return slot;
    }
  }
}
