import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { matchesGlob } from "./glob.ts";

describe("matchesGlob", () => {
  it.each([
    ["", "", false],
    ["", "a", false],
    ["*", "", true],
    ["*", "anything", true],
    ["echo__*", "echo__say", true],
    ["echo__*", "xecho__say", false],
    ["echo__say", "echo__say", true],
    ["echo__say", "echo__says", false],
    ["*__read*", "files__read_all", true],
    ["a*a", "a", false],
    ["a*b*a", "aba", true],
    ["a*b*a", "aa", false],
    ["Echo", "echo", false],
    ["a.c", "abc", false],
    ["**", "x", true],
  ])("%j on %j is %j", (glob, name, expected) => expect(matchesGlob(glob, name)).toBe(expected));

  it("agrees with the regular expression it stands for", () => {
    const text = fc.string({ unit: fc.constantFrom("a", "b", "_", "*") });
    fc.assert(
      fc.property(
        text.filter((glob) => glob !== ""),
        text,
        (glob, name) => {
          const pattern = new RegExp(`^${glob.split("*").join("[^]*")}$`);
          expect(matchesGlob(glob, name)).toBe(pattern.test(name));
        },
      ),
    );
  });
});
