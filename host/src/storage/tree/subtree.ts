/**
 * How trees of every size are made of perfect ones. Whoever keeps hashes, in memory, in a file, as a plain list, says what
 * the root of a perfect subtree is; roots and proofs follow from that.
 */
import { emptyRoot, nodeHash } from "./tree-hash.ts";

/** Root of the perfect subtree over the leaves `index * 2^height` to `(index + 1) * 2^height - 1`. */
export type SubtreeAt = (height: number, index: number) => Buffer;

export interface Leaves {
  readonly start: number;
  readonly count: number;
}

/** The largest power of two below `count`, which is at least 2: there every tree is split. */
export const splitOf = (count: number): number => {
  let size = 1;
  while (size * 2 < count) size *= 2;
  return size;
};

const heightOf = (size: number): number => Math.round(Math.log2(size));

/** `start` is a multiple of the largest power of two that is not above `count`, as every split makes it. */
export const rootOfLeaves = (at: SubtreeAt, { start, count }: Leaves): Buffer => {
  if (count === 0) return emptyRoot();
  const split = count === 1 ? 1 : splitOf(count);
  if (count === 1) return at(0, start);
  if (split * 2 === count) return at(heightOf(count), start / count);
  return nodeHash(at(heightOf(split), start / split), rootOfLeaves(at, { start: start + split, count: count - split }));
};

/** Root of the first `size` leaves. */
export const rootOf = (at: SubtreeAt, size: number): Buffer => rootOfLeaves(at, { start: 0, count: size });
