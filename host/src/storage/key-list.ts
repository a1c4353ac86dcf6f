/** Keys and the row of each, in the order in which they came. */
import type { KeyWords } from "./key-words.ts";

export class KeyList {
  readonly #capacity: number;
  /** Four of each key. */
  readonly #words: Uint32Array;
  readonly #rows: Float64Array;
  #size = 0;

  constructor(capacity: number) {
    this.#capacity = capacity;
    this.#words = new Uint32Array(4 * capacity);
    this.#rows = new Float64Array(capacity);
  }

  get size(): number {
    return this.#size;
  }

  get isFull(): boolean {
    return this.#size === this.#capacity;
  }

  /** Only while it is not full. */
  add([a, b, c, d]: KeyWords, row: number): void {
    const at = 4 * this.#size;
    const words = this.#words;
    words[at] = a;
    words[at + 1] = b;
    words[at + 2] = c;
    words[at + 3] = d;
    this.#rows[this.#size++] = row;
  }

  isAt(place: number, [a, b, c, d]: KeyWords): boolean {
    const at = 4 * place;
    const words = this.#words;
    return words[at] === a && words[at + 1] === b && words[at + 2] === c && words[at + 3] === d;
  }

  keyAt(place: number): KeyWords {
    const at = 4 * place;
    const words = this.#words;
    return [words[at] ?? 0, words[at + 1] ?? 0, words[at + 2] ?? 0, words[at + 3] ?? 0];
  }

  rowAt(place: number): number {
    return this.#rows[place] ?? 0;
  }

  setRow(place: number, row: number): void {
    this.#rows[place] = row;
  }
}
