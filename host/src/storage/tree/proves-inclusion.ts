/** Checks an inclusion path. Whatever it is given, it answers. */
import { HASH_BYTES, nodeHash } from "./tree-hash.ts";

export interface InclusionClaim {
  readonly leaf: Buffer;
  /** From 0. */
  readonly index: number;
  readonly size: number;
  readonly path: readonly Buffer[];
  readonly root: Buffer;
}

export const provesInclusion = ({ leaf, index, size, path, root }: InclusionClaim): boolean => {
  if (!Number.isSafeInteger(index) || !Number.isSafeInteger(size) || index < 0 || index >= size) return false;
  if (path.some((each) => each.length !== HASH_BYTES)) return false;
  let [at, last, hash] = [index, size - 1, leaf];
  for (const beside of path) {
    if (last === 0) return false;
    if (at % 2 === 1 || at === last) {
      hash = nodeHash(beside, hash);
      while (at % 2 === 0 && at !== 0) [at, last] = [Math.floor(at / 2), Math.floor(last / 2)];
    } else {
      hash = nodeHash(hash, beside);
    }
    [at, last] = [Math.floor(at / 2), Math.floor(last / 2)];
  }
  return last === 0 && hash.equals(root);
};
