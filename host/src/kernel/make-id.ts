/**
 * Ids of 32 hex digits that begin with the time: random enough to be unguessable, ordered enough that an index over
 * them grows at its end.
 */
import { randomFillSync } from "node:crypto";

const pool = Buffer.alloc(8192);
let used = pool.length;

/** Where so many unused random bytes begin; one system call serves hundreds of ids. */
const take = (length: number): number => {
  if (used + length > pool.length) {
    randomFillSync(pool);
    used = 0;
  }
  used += length;
  return used - length;
};

/** Random bytes that are the caller's own. */
export const randomSlice = (length: number): Buffer => {
  const at = take(length);
  return Buffer.from(pool.subarray(at, at + length));
};

let millisecond = 0;
let timePart = "";

export const makeId = (prefix: string): string => {
  const now = Date.now();
  if (now !== millisecond) {
    millisecond = now;
    timePart = now.toString(16).padStart(12, "0");
  }
  const at = take(10);
  return prefix + timePart + pool.toString("hex", at, at + 10);
};
