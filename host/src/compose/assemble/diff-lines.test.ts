import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { diffLines } from "./diff-lines.ts";
import { tellChanges, tellChangesRoughly } from "./tell-changes.ts";

const without = (text: string, flags: Uint8Array): string[] => text.split("\n").filter((_, at) => flags[at] === 0);

/** By the textbook's table. */
const longestCommon = (a: readonly string[], b: readonly string[]): number => {
  let row = Array.from({ length: b.length + 1 }, () => 0);
  for (const line of a) {
    const next = [0];
    for (const [at, other] of b.entries()) next.push(line === other ? row[at]! + 1 : Math.max(next[at]!, row[at + 1]!));
    row = next;
  }
  return row.at(-1)!;
};

const text = fc.array(fc.constantFrom("a", "b", "c", "d", ""), { maxLength: 40 }).map((lines) => lines.join("\n"));

describe("a line diff", () => {
  it("is right and as short as can be", () => {
    fc.assert(
      fc.property(text, text, (before, after) => {
        const { removed, added } = diffLines(before, after);
        const kept = without(before, removed);
        expect(kept).toEqual(without(after, added));
        expect(kept.length).toBe(longestCommon(before.split("\n"), after.split("\n")));
      }),
      { numRuns: 1_000 },
    );
  });

  it.each([
    ["a\nb\nc", "a\nb\nc", [0, 0, 0, "No changes detected"]],
    ["a\nb\nc", "a\nx\nc", [1, 1, 1, "Updated: +1 -1 ~1 lines"]],
    ["a\nb\nc", "a\nc", [0, 1, 0, "Updated: +0 -1 ~0 lines"]],
    ["a", "a\nb\nc", [2, 0, 0, "Updated: +2 -0 ~0 lines"]],
    ["a\nb", "b\na", [1, 1, 1, "Updated: +1 -1 ~1 lines"]],
    ["a\n", "a", [0, 1, 0, "Updated: +0 -1 ~0 lines"]],
    ["__proto__\nx", "x\nconstructor", [1, 1, 1, "Updated: +1 -1 ~1 lines"]],
  ])("of %j and %j is told", (before, after, [added, removed, changed, summary]) => {
    expect(tellChanges(before, after)).toEqual({
      lines_added: added,
      lines_removed: removed,
      lines_changed: changed,
      summary,
    });
  });

  it("ends, and is right, for texts that have nothing in order", () => {
    const scramble = (factor: number): string =>
      Array.from({ length: 60_000 }, (_, i) => `${(i * factor) % 59_999}`).join("\n");
    const [before, after] = [scramble(7), scramble(30_011)];
    const { removed, added } = diffLines(before, after);
    expect(without(before, removed)).toEqual(without(after, added));
  });

  it("takes texts of many megabytes", () => {
    const before = "\n".repeat(3_000_000);
    expect(tellChanges(before, `${before}x`)).toMatchObject({ lines_added: 1, lines_removed: 1 });
  });

  it("of texts with more lines than are compared tells what lies between their common ends as replaced", () => {
    const lines = (step: number): string => Array.from({ length: 300_000 }, (_, i) => `${i * step}`).join("\n");
    const [before, after] = [`a\nb\n${lines(1)}\nz`, `a\nb\n${lines(2)}\ny\nz`];
    expect(tellChanges(before, after)).toEqual({
      lines_added: 300_000,
      lines_removed: 299_999,
      lines_changed: 299_999,
      summary: "Updated: +300000 -299999 ~299999 lines",
    });
    const { removed, added } = diffLines(before, after);
    expect(without(before, removed)).toEqual(without(after, added));
  });

  it("that is told roughly is right too, and tells of no change where there is none", () => {
    fc.assert(
      fc.property(text, text, (before, after) => {
        const [rough, exact] = [tellChangesRoughly(before, after), tellChanges(before, after)];
        expect(rough.lines_added - rough.lines_removed).toBe(after.split("\n").length - before.split("\n").length);
        expect(rough.lines_added).toBeGreaterThanOrEqual(exact.lines_added);
        expect(rough.lines_added).toBeLessThanOrEqual(after.split("\n").length);
        expect(rough.summary === "No changes detected").toBe(before === after);
      }),
    );
  });
});
