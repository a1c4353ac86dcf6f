import { expect, it } from "vitest";
import { KeyTable } from "./key-table.ts";
import type { KeyWords } from "./key-words.ts";

/** Few values a word, so that slots and their bytes meet all the time. */
const keyOf = (n: number): KeyWords => [n % 7, (n >>> 3) % 5, n % 3, n >>> 0];

it("knows the highest row of each key that was set, and of no other, however many of them meet", () => {
  const table = new KeyTable();
  const rows = new Map<number, number>();
  for (let i = 0; i < 3000; i++) {
    const [n, row] = [(i * 7919) % 2000, (i * 104_729) % 5000];
    table.set(keyOf(n), row);
    rows.set(n, Math.max(row, rows.get(n) ?? 0));
  }
  for (let n = 0; n < 4000; n++) expect(table.get(keyOf(n))).toBe(rows.get(n) ?? null);
});

it("holds as many as it is meant for, with rows beyond 32 bits", () => {
  const table = new KeyTable();
  const key = (n: number): KeyWords => [Math.imul(n, 0x9e3779b1) >>> 0, Math.imul(n, 0x85ebca6b) >>> 0, n, 1];
  let n = 0;
  for (; !table.isFull; n++) table.set(key(n), 2 ** 40 + n);
  expect(n).toBe(16_384);
  for (let i = 0; i < n; i++) expect(table.get(key(i))).toBe(2 ** 40 + i);
  expect(table.get(key(n))).toBeNull();
});
