/** What proves that a leaf is in a tree: the hashes beside the way from it up to the root (RFC 6962, 2.1.1). */
import { rootOfLeaves, splitOf, type Leaves, type SubtreeAt } from "./subtree.ts";

const pathIn = (at: SubtreeAt, index: number, { start, count }: Leaves): Buffer[] => {
  if (count === 1) return [];
  const split = splitOf(count);
  const left = { start, count: split };
  const right = { start: start + split, count: count - split };
  if (index < split) return [...pathIn(at, index, left), rootOfLeaves(at, right)];
  return [...pathIn(at, index - split, right), rootOfLeaves(at, left)];
};

/** `index` counts from 0 and is below `size`. */
export const inclusionPath = (at: SubtreeAt, index: number, size: number): Buffer[] =>
  pathIn(at, index, { start: 0, count: size });
