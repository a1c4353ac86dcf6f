/**
 * Ids of 32 hex digits that begin with the time: random enough to be unguessable, ordered enough that an index over
 * them grows at its end.
 */
import { randomFillSync } from "node:crypto";

const pool = Buffer.alloc(8192);
let used = pool.length;

/** Fresh random bytes from a pool; one system call serves hundreds of ids. */
export const randomSlice = (length: number): Buffer => {
  if (used + length > pool.length) {
    randomFillSync(pool);
    used = 0;
  }
  const slice = Buffer.from(pool.subarray(used, used + length));
  used += length;
  return slice;
};

export const makeId = (prefix: string): string =>
  `${prefix}${Date.now().toString(16).padStart(12, "0")}${randomSlice(10).toString("hex")}`;
