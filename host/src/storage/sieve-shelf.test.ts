import { hash } from "node:crypto";
import { expect, it } from "vitest";
import { KeySieve, placeIn } from "./key-sieve.ts";
import { wordsOf } from "./key-words.ts";
import { SieveShelf } from "./sieve-shelf.ts";

const KEYS = 20_000;
const SEGMENTS = 8;
const placesOf = (n: number) => wordsOf(hash("sha256", String(n)));

/** Key n is in segment n % 8, and half of the keys in none. */
const sieves = Array.from({ length: SEGMENTS }, (_, segment) => {
  const sieve = new KeySieve();
  for (let n = segment; n < KEYS / 2; n += SEGMENTS) sieve.add(placesOf(n));
  return sieve;
});

const hasAll = ({ words }: KeySieve, n: number): boolean =>
  placesOf(n).every((_, i, places) => {
    const place = placeIn(places, i);
    return ((words[place >>> 5] ?? 0) & (1 << (place & 31))) !== 0;
  });

const filled = (): SieveShelf => {
  const shelf = new SieveShelf();
  for (const [segment, sieve] of sieves.entries()) {
    expect(shelf.isFull).toBe(false);
    shelf.put(segment, sieve);
  }
  return shelf;
};

const found = (shelf: SieveShelf, n: number): readonly number[] => shelf.mayHold(placesOf(n));

it("tells of every key the same segments as their sieves apart", () => {
  const shelf = filled();
  expect(shelf.isFull).toBe(true);
  for (let n = 0; n < KEYS; n++) {
    const apart = sieves.flatMap((sieve, segment) => (hasAll(sieve, n) ? [segment] : []));
    expect(found(shelf, n)).toEqual(apart);
  }
});

it("tells of no segment that was taken out, and is empty after the last", () => {
  const shelf = filled();
  shelf.remove(3);
  shelf.remove(77);
  expect([found(shelf, 3), found(shelf, 4)]).toEqual([[], [4]]);
  for (const segment of sieves.keys()) {
    expect(shelf.isEmpty).toBe(false);
    shelf.remove(segment);
  }
  expect(shelf.isEmpty).toBe(true);
});
