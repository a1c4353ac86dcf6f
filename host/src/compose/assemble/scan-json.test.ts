import fc from "fast-check";
import { expect, it } from "vitest";
import { scanJson } from "./scan-json.ts";

const countValues = (value: unknown): number =>
  typeof value !== "object" || value === null
    ? 1
    : Object.values(value).reduce((sum: number, member) => sum + countValues(member), 1);

const depthOf = (value: unknown): number =>
  typeof value !== "object" || value === null ? 0 : 1 + Math.max(0, ...Object.values(value).map(depthOf));

it("what is known of JSON before it is read holds when it is read", () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.boolean(), (value, isWide) => {
      const text = JSON.stringify(value, null, isWide ? 2 : 0);
      const read: unknown = JSON.parse(text);
      const { values, depth } = scanJson(text);
      expect(values).toBeGreaterThanOrEqual(countValues(read));
      expect(values).toBeLessThanOrEqual(2 * countValues(read));
      expect(depth).toBe(depthOf(read));
    }),
  );
});

it.each([
  ['{"a":[1,23,-4,999999999999999]}', false],
  ['{"1.5":"2.5, \\" 1e5"}', false],
  ["[1.50]", true],
  ["[-0]", true],
  ["[1e3]", true],
  ["[12345678901234567890]", true],
])("numbers that may not be written again as they are: %s", (text, expected) => {
  expect(scanJson(text).hasOddNumbers).toBe(expected);
});
