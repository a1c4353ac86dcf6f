import fc from "fast-check";
import { expect, it } from "vitest";
import { isLight, MOST_VALUES } from "./is-light.ts";

it("is a matter of how many values there are, not of how long they are", () => {
  expect(isLight(JSON.stringify({ text: "x".repeat(5_000_000) }))).toBe(true);
  expect(isLight(JSON.stringify({ text: '[{,"\\'.repeat(500_000) }))).toBe(true);
  expect(isLight(`[${"{},".repeat(MOST_VALUES)}{}]`)).toBe(false);
  expect(isLight("[".repeat(MOST_VALUES + 1) + "]".repeat(MOST_VALUES + 1))).toBe(false);
  expect(isLight(`[${"1, ".repeat(MOST_VALUES)}1]`)).toBe(false);
});

it("counts nothing that stands in a string, however it ends", () => {
  const filler = "x".repeat(MOST_VALUES);
  fc.assert(
    fc.property(fc.string(), (text) => {
      const many = "[,{".repeat(MOST_VALUES);
      expect(isLight(JSON.stringify([text, many + text, filler]))).toBe(true);
    }),
    { numRuns: 30 },
  );
});
