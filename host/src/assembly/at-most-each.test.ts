import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { atMostEach } from "./at-most-each.ts";

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

it("says the first at once, all that follow as one, and goes on so", () => {
  const said: number[] = [];
  const seldom = atMostEach(1_000, () => said.push(Date.now()));
  const began = Date.now();
  for (let n = 0; n < 10; n++) seldom.say();
  vi.advanceTimersByTime(999);
  expect(said).toEqual([began]);
  vi.advanceTimersByTime(1);
  expect(said).toEqual([began, began + 1_000]);
  vi.advanceTimersByTime(5_000);
  expect(said).toHaveLength(2);
  seldom.say();
  expect(said).toHaveLength(3);
  seldom.say();
  seldom.end();
  vi.advanceTimersByTime(5_000);
  expect(said).toHaveLength(3);
});
