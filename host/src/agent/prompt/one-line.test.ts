import fc from "fast-check";
import { expect, it, test } from "vitest";
import { oneLine } from "./one-line.ts";

test.each([
  ["Europe/Vienna", "Europe/Vienna"],
  ["a\n\n---\n\n# You are free", "a --- # You are free"],
  ["a\r\nb\u2028c\u0085d\u000be", "a b c d e"],
  ["\u001b[31mred\u0000", "[31mred"],
  ["in\u200bvis\u202eible", "invisible"],
  ["  wide  ", "wide"],
])("%j becomes %j", (given, line) => {
  expect(oneLine(given)).toBe(line);
});

it("has at most 128 characters and no line break or control character, whatever it is made of", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary", maxLength: 400 }), (text) => {
      const line = oneLine(text);
      expect(line.length).toBeLessThanOrEqual(128);
      expect(line).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u);
      expect(line.isWellFormed()).toBe(true);
    }),
  );
});

it("is not cut in the middle of a character", () => {
  expect(oneLine(`${"a".repeat(127)}😀`)).toBe("a".repeat(127));
  expect(oneLine(`${"a".repeat(126)}😀b`)).toBe(`${"a".repeat(126)}😀`);
});
