import { hash } from "node:crypto";
import { expect, it } from "vitest";
import { KeySieve, textPlaces } from "./key-sieve.ts";
import { SieveShelf } from "./sieve-shelf.ts";
import { wordsOf } from "./key-words.ts";

const SIEVE_KEYS = 32_768;
const keyOf = (n: number): string => hash("sha256", String(n));

it.each([
  ["hashes", (n: number) => wordsOf(keyOf(n))],
  ["short texts", (n: number) => textPlaces(`job-${n}`)],
  ["long texts that begin alike", (n: number) => textPlaces(`${"x".repeat(200)}${n}`)],
])("lets through every key that was added and hardly any other, also after it was kept: %s", (_, placesOf) => {
  const sieve = new KeySieve();
  for (let n = 0; n < SIEVE_KEYS; n++) sieve.add(placesOf(n));
  const kept = new SieveShelf();
  kept.put(7, new KeySieve(sieve.bytes));
  const passing = (from: number): number => {
    let count = 0;
    for (let n = from; n < from + 10_000; n++) count += kept.mayHold(placesOf(n)).length;
    return count;
  };
  expect(passing(0)).toBe(10_000);
  expect(passing(SIEVE_KEYS)).toBeLessThan(200);
});
