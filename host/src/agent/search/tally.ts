/**
 * How many terms of a query each tool answers and how well, while one query is looked up. A tool has one answer to each term,
 * its best. Room for all tools is kept from query to query and cleared only where it was used.
 */
export const WEIGHT_BITS = 10;
const WEIGHT_MASK = (1 << WEIGHT_BITS) - 1;
const ROOM = 1024;

export class Tally {
  #weights = new Float64Array(ROOM);
  #covered = new Uint8Array(ROOM);
  #touched = new Int32Array(ROOM);
  #touchedCount = 0;
  /** Of the term that is looked up now. */
  #answers = new Float64Array(ROOM);
  #answering = new Int32Array(ROOM);
  #answeringCount = 0;

  /** Ids are below this. */
  makeRoom(tools: number): void {
    if (tools <= this.#weights.length) return;
    const room = Math.max(tools, this.#weights.length * 2);
    this.#weights = new Float64Array(room);
    this.#covered = new Uint8Array(room);
    this.#touched = new Int32Array(room);
    this.#answers = new Float64Array(room);
    this.#answering = new Int32Array(room);
  }

  /** Of tools that have a word: the id and, in its lowest bits, the weight that the word has for the tool. */
  answer(entries: readonly number[], factor: number): void {
    const answers = this.#answers;
    for (let at = 0; at < entries.length; at++) {
      const entry = entries[at]!;
      const id = entry >>> WEIGHT_BITS;
      const weight = (entry & WEIGHT_MASK) * factor;
      const before = answers[id]!;
      if (weight <= before) continue;
      if (before === 0) this.#answering[this.#answeringCount++] = id;
      answers[id] = weight;
    }
  }

  endTerm(): void {
    for (let at = 0; at < this.#answeringCount; at++) {
      const id = this.#answering[at]!;
      if (this.#covered[id] === 0) this.#touched[this.#touchedCount++] = id;
      this.#covered[id]! += 1;
      this.#weights[id]! += this.#answers[id]!;
      this.#answers[id] = 0;
    }
    this.#answeringCount = 0;
  }

  /** Tools that answer any term; good until `clear`. */
  touched(): Int32Array {
    return this.#touched.subarray(0, this.#touchedCount);
  }

  covered(id: number): number {
    return this.#covered[id]!;
  }

  /** Whole, so that what is as good as equal is equal. */
  weight(id: number): number {
    return Math.round(this.#weights[id]!);
  }

  clear(): void {
    for (const id of this.touched()) {
      this.#covered[id] = 0;
      this.#weights[id] = 0;
    }
    this.#touchedCount = 0;
  }
}
