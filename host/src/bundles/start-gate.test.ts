import { expect, test } from "vitest";
import { createStartGate } from "./start-gate.ts";

test("only so many are inside, in the order they came", async () => {
  const gate = createStartGate({ places: 2, longestMs: 60_000 });
  const inside: number[] = [];
  const exits = new Map<number, () => void>();
  const enter = async (n: number): Promise<void> => {
    exits.set(n, await gate.enter());
    inside.push(n);
  };
  const all = Promise.all([1, 2, 3, 4].map(enter));
  await Promise.resolve();
  await Promise.resolve();
  expect(inside).toEqual([1, 2]);
  exits.get(1)?.();
  exits.get(1)?.();
  await new Promise(setImmediate);
  expect(inside).toEqual([1, 2, 3]);
  exits.get(2)?.();
  await all;
  expect(inside).toEqual([1, 2, 3, 4]);
  exits.get(3)?.();
  exits.get(4)?.();
});

test("one that stays too long gives its place to the next", async () => {
  const gate = createStartGate({ places: 1, longestMs: 20 });
  const slow = await gate.enter();
  const next = await gate.enter();
  slow();
  next();
  const again = await gate.enter();
  expect(next).not.toBe(again);
  again();
});
