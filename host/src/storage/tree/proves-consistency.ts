/** Checks a consistency path. Whatever it is given, it answers. */
import { emptyRoot, HASH_BYTES, nodeHash } from "./tree-hash.ts";

export interface ConsistencyClaim {
  readonly first: number;
  readonly second: number;
  readonly firstRoot: Buffer;
  readonly secondRoot: Buffer;
  readonly path: readonly Buffer[];
}

const isPowerOfTwo = (value: number): boolean => Number.isInteger(Math.log2(value));

export const provesConsistency = (claim: ConsistencyClaim): boolean => {
  const { first, second, firstRoot, secondRoot, path } = claim;
  if (!Number.isSafeInteger(first) || !Number.isSafeInteger(second) || first < 0 || first > second) return false;
  if (path.some((each) => each.length !== HASH_BYTES)) return false;
  if (first === second) return path.length === 0 && firstRoot.equals(secondRoot);
  if (first === 0) return path.length === 0 && firstRoot.equals(emptyRoot());
  return walk(claim);
};

const walk = ({ first, second, firstRoot, secondRoot, path }: ConsistencyClaim): boolean => {
  const [seed, ...rest] = isPowerOfTwo(first) ? [firstRoot, ...path] : path;
  if (seed === undefined) return false;
  let [at, last, old, grown] = [first - 1, second - 1, seed, seed];
  while (at % 2 === 1) [at, last] = [Math.floor(at / 2), Math.floor(last / 2)];
  for (const beside of rest) {
    if (last === 0) return false;
    if (at % 2 === 1 || at === last) {
      old = nodeHash(beside, old);
      grown = nodeHash(beside, grown);
      while (at % 2 === 0 && at !== 0) [at, last] = [Math.floor(at / 2), Math.floor(last / 2)];
    } else {
      grown = nodeHash(grown, beside);
    }
    [at, last] = [Math.floor(at / 2), Math.floor(last / 2)];
  }
  return last === 0 && old.equals(firstRoot) && grown.equals(secondRoot);
};
