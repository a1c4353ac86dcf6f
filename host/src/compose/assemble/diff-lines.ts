/**
 * A line diff after Myers, in linear space. Lines that stand in one text only are set aside first, which changes nothing in the
 * result. Beyond a bound on the work a stretch counts as replaced, and beyond a number of lines all that lies between what both
 * texts begin and end with: the diff is then still right, and longer than it might be.
 */
import { commonEnds, type Rest } from "./common-ends.ts";

export interface LineDiff {
  /** 1 for each line of the old text that is gone. */
  readonly removed: Uint8Array;
  /** 1 for each line of the new text that is new. */
  readonly added: Uint8Array;
}

const MAX_WORK = 10_000_000;
/** Of both texts, without what they begin and end with: each takes its place in a table. */
const MAX_LINES = 500_000;

export const diffLines = (before: string, after: string): LineDiff => {
  const ends = commonEnds(before, after);
  const { first, last } = ends;
  const flagsOf = ({ lines }: Rest): Uint8Array => new Uint8Array(first + lines + last).fill(1, first, first + lines);
  const [removed, added] = [flagsOf(ends.before), flagsOf(ends.after)];
  if (ends.before.lines + ends.after.lines > MAX_LINES) return { removed, added };
  const names = new Map<string, number>();
  const [old, now] = [nameLines(ends.before, names), nameLines(ends.after, names)];
  const a = common(old, now, names.size);
  const b = common(now, old, names.size);
  for (const [x, y] of new Search(a.lines, b.lines).pairs()) {
    removed[first + a.at[x]!] = 0;
    added[first + b.at[y]!] = 0;
  }
  return { removed, added };
};

/** Each line as a number that equal lines share. */
const nameLines = ({ text, lines: count }: Rest, names: Map<string, number>): Int32Array => {
  const lines = new Int32Array(count);
  let from = 0;
  for (let i = 0; i < count; i++) {
    const end = text.indexOf("\n", from);
    const line = text.slice(from, end);
    const known = names.get(line) ?? names.size;
    if (known === names.size) names.set(line, known);
    lines[i] = known;
    from = end + 1;
  }
  return lines;
};

/** The lines that stand in the other text too, and where each is. */
const common = (lines: Int32Array, other: Int32Array, names: number): { lines: Int32Array; at: Int32Array } => {
  const there = new Uint8Array(names);
  for (const line of other) there[line] = 1;
  const at = new Int32Array(lines.length);
  let count = 0;
  for (let i = 0; i < lines.length; i++) if (there[lines[i]!] === 1) at[count++] = i;
  return { lines: Int32Array.from(at.subarray(0, count), (i) => lines[i]!), at: at.subarray(0, count) };
};

interface Box {
  readonly a0: number;
  readonly a1: number;
  readonly b0: number;
  readonly b1: number;
}

class Search {
  readonly #a: Int32Array;
  readonly #b: Int32Array;
  /** How far each diagonal was followed, from the one end and from the other. */
  readonly #forth: Int32Array;
  readonly #back: Int32Array;
  readonly #zero: number;
  #work = 0;

  constructor(a: Int32Array, b: Int32Array) {
    this.#a = a;
    this.#b = b;
    // Work grows with the square of the differences.
    this.#zero = Math.min(Math.ceil((a.length + b.length) / 2), Math.ceil(Math.sqrt(MAX_WORK))) + 2;
    this.#forth = new Int32Array(2 * this.#zero + 1);
    this.#back = new Int32Array(2 * this.#zero + 1);
  }

  /** Places of lines that stay, in no order. */
  *pairs(): Generator<readonly [number, number]> {
    const boxes: Box[] = [{ a0: 0, a1: this.#a.length, b0: 0, b1: this.#b.length }];
    for (let box = boxes.pop(); box !== undefined; box = boxes.pop()) {
      let { a0, a1, b0, b1 } = box;
      for (; a0 < a1 && b0 < b1 && this.#a[a0] === this.#b[b0]; a0++, b0++) yield [a0, b0];
      for (; a0 < a1 && b0 < b1 && this.#a[a1 - 1] === this.#b[b1 - 1]; a1--, b1--) yield [a1 - 1, b1 - 1];
      if (a0 === a1 || b0 === b1) continue;
      const middle = this.#findMiddle({ a0, a1, b0, b1 });
      if (middle === null) continue;
      const [x, y] = middle;
      boxes.push({ a0, a1: x, b0, b1: y }, { a0: x, a1, b0: y, b1 });
    }
  }

  /** A point that a shortest way goes through, with a part of it on either side; null: it takes too much work. */
  #findMiddle({ a0, a1, b0, b1 }: Box): readonly [number, number] | null {
    const [n, m] = [a1 - a0, b1 - b0];
    const delta = n - m;
    const [forth, back, zero] = [this.#forth, this.#back, this.#zero];
    forth[zero + 1] = 0;
    back[zero + 1] = 0;
    for (let d = 0; d < zero - 1; d++) {
      const [low, high] = [-d + 2 * Math.max(0, d - m), d - 2 * Math.max(0, d - n)];
      if ((this.#work += high - low + 1) > MAX_WORK) return null;
      for (let k = low; k <= high; k += 2) {
        let x = step(forth, zero + k, k === -d, k === d);
        let y = x - k;
        for (; x < n && y < m && this.#a[a0 + x] === this.#b[b0 + y]; x++, y++) this.#work++;
        forth[zero + k] = x;
        const other = delta - k;
        if (delta % 2 !== 0 && Math.abs(other) < d && x + back[zero + other]! >= n) return [a0 + x, b0 + y];
      }
      for (let k = low; k <= high; k += 2) {
        let x = step(back, zero + k, k === -d, k === d);
        let y = x - k;
        for (; x < n && y < m && this.#a[a1 - 1 - x] === this.#b[b1 - 1 - y]; x++, y++) this.#work++;
        back[zero + k] = x;
        const other = delta - k;
        if (delta % 2 === 0 && Math.abs(other) <= d && x + forth[zero + other]! >= n) return [a1 - x, b1 - y];
      }
    }
    return null;
  }
}

const step = (reached: Int32Array, at: number, isLowest: boolean, isHighest: boolean): number =>
  isLowest || (!isHighest && reached[at - 1]! < reached[at + 1]!) ? reached[at + 1]! : reached[at - 1]! + 1;
