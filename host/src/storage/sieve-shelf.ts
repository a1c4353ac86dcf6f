/**
 * Sieves of eight segments side by side: a byte for each place, a bit of it for each segment, so that one look at a place
 * tells of eight. It takes as much memory as the eight apart.
 */
import { placeIn, SIEVE_BITS, type KeySieve, type SievePlaces } from "./key-sieve.ts";

const SHELF_SLOTS = 8;
const NONE: readonly number[] = [];

export class SieveShelf {
  readonly #bytes = new Uint8Array(SIEVE_BITS);
  /** Segments in the order in which they were put here; null: it was taken out. */
  readonly #segments: (number | null)[] = [];

  get isFull(): boolean {
    return this.#segments.length === SHELF_SLOTS;
  }

  get isEmpty(): boolean {
    return this.#segments.every((segment) => segment === null);
  }

  /** Only while it is not full. */
  put(segment: number, sieve: KeySieve): void {
    const bit = 1 << this.#segments.length;
    this.#segments.push(segment);
    const { words } = sieve;
    for (let at = 0; at < words.length; at++) {
      // From the lowest set bit to the highest.
      for (let rest = words[at] ?? 0; rest !== 0; rest &= rest - 1) {
        const place = (at << 5) | (31 - Math.clz32(rest & -rest));
        this.#bytes[place] = (this.#bytes[place] ?? 0) | bit;
      }
    }
  }

  /** Its place stays taken: segments go in their order, and the shelf after the last of them. */
  remove(segment: number): void {
    const slot = this.#segments.indexOf(segment);
    if (slot !== -1) this.#segments[slot] = null;
  }

  /** Those of its segments that may have the key; mostly none. */
  mayHold(places: SievePlaces): readonly number[] {
    let bits = 0xff;
    for (let i = 0; i < places.length && bits !== 0; i++) bits &= this.#bytes[placeIn(places, i)] ?? 0;
    if (bits === 0) return NONE;
    return this.#segments.filter((segment, slot): segment is number => segment !== null && (bits & (1 << slot)) !== 0);
  }
}
