import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { editDistance } from "./edit-distance.ts";

const word = fc.string({ unit: fc.constantFrom("a", "b", "c", "d"), maxLength: 9 });

describe("editDistance", () => {
  test.each([
    ["", "", 0],
    ["", "abc", 3],
    ["port", "prot", 1],
    ["port", "ports", 1],
    ["kitten", "sitting", 3],
    // The restricted variant says 3: it never edits between two swapped characters.
    ["ca", "abc", 2],
  ])("%j and %j are %i apart", (a, b, distance) => {
    expect(editDistance(a, b)).toBe(distance);
  });

  test("is a metric: zero only for equals, symmetric, no detour is shorter", () => {
    fc.assert(
      fc.property(word, word, word, (a, b, c) => {
        expect(editDistance(a, b) === 0).toBe(a === b);
        expect(editDistance(a, b)).toBe(editDistance(b, a));
        expect(editDistance(a, c)).toBeLessThanOrEqual(editDistance(a, b) + editDistance(b, c));
      }),
    );
  });

  test("one edit anywhere is one away", () => {
    fc.assert(
      fc.property(word, fc.nat(), (text, seed) => {
        fc.pre(text !== "");
        const at = seed % text.length;
        expect(editDistance(text, `${text.slice(0, at)}z${text.slice(at)}`)).toBe(1);
        expect(editDistance(text, `${text.slice(0, at)}z${text.slice(at + 1)}`)).toBe(1);
        const [left, right] = [text[at], text[at + 1]];
        if (left === undefined || right === undefined || left === right) return;
        expect(editDistance(text, text.slice(0, at) + right + left + text.slice(at + 2))).toBe(1);
      }),
    );
  });
});
