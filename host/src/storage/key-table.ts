/**
 * The row of each of up to 16,384 keys, the highest that was set. Numbers in arrays, because as many strings in a map would
 * have to be looked through by every collection of garbage; and hardly more than one of them is touched to say that a key is
 * not there, which is what is asked of every new call.
 */
import { KeyList } from "./key-list.ts";
import type { KeyWords } from "./key-words.ts";

/** Twice as many as keys, so that few meet. */
const SLOTS = 32_768;

export class KeyTable {
  readonly #keys = new KeyList(SLOTS / 2);
  /** Of the key in each slot a byte that is never 0; 0: the slot is free. */
  readonly #tags = new Uint8Array(SLOTS);
  /** Where that key is in the list. */
  readonly #places = new Uint16Array(SLOTS);

  get isFull(): boolean {
    return this.#keys.isFull;
  }

  /** Of a new key only while it is not full. */
  set(key: KeyWords, row: number): void {
    const slot = this.#slotOf(key);
    if (this.#tags[slot] === 0) {
      this.#tags[slot] = tagOf(key);
      this.#places[slot] = this.#keys.size;
      this.#keys.add(key, row);
      return;
    }
    const place = this.#places[slot] ?? 0;
    // Large replies of a commit have rows of their own, which are written before that of the small ones.
    this.#keys.setRow(place, Math.max(row, this.#keys.rowAt(place)));
  }

  /** Null: it was never set. */
  get(key: KeyWords): number | null {
    const slot = this.#slotOf(key);
    return this.#tags[slot] === 0 ? null : this.#keys.rowAt(this.#places[slot] ?? 0);
  }

  /** Where the key is, or else where it belongs. */
  #slotOf(key: KeyWords): number {
    const tag = tagOf(key);
    for (let slot = key[0] & (SLOTS - 1); ; slot = (slot + 1) & (SLOTS - 1)) {
      const taken = this.#tags[slot];
      if (taken === 0 || (taken === tag && this.#keys.isAt(this.#places[slot] ?? 0, key))) return slot;
    }
  }
}

/** Of bits that do not choose the slot. */
const tagOf = ([, b]: KeyWords): number => b & 0xff || 1;
