/** What proves that a tree begins with an earlier one (RFC 6962, 2.1.2). */
import { rootOfLeaves, splitOf, type Leaves, type SubtreeAt } from "./subtree.ts";

/** `known`: the verifier has the root of these leaves already, it is the earlier tree itself. */
const pathIn = (at: SubtreeAt, first: number, leaves: Leaves & { readonly known: boolean }): Buffer[] => {
  const { start, count, known } = leaves;
  if (first === count) return known ? [] : [rootOfLeaves(at, leaves)];
  const split = splitOf(count);
  const left = { start, count: split };
  const right = { start: start + split, count: count - split };
  if (first <= split) return [...pathIn(at, first, { ...left, known }), rootOfLeaves(at, right)];
  return [...pathIn(at, first - split, { ...right, known: false }), rootOfLeaves(at, left)];
};

/** `first` is at most `second`. Nothing has to be proved of the empty tree and of equal ones. */
export const consistencyPath = (at: SubtreeAt, first: number, second: number): Buffer[] =>
  first === 0 || first === second ? [] : pathIn(at, first, { start: 0, count: second, known: true });
