import { describe, expect, test } from "vitest";
import { Redaction } from "../redaction.ts";
import { ShownBeginning } from "./shown-beginning.ts";
import { StderrLines } from "./stderr-lines.ts";

const SECRET = "hunter2-and-some-more-of-it";

const knowing = (...secrets: string[]): Redaction => {
  const redaction = new Redaction();
  redaction.learn(secrets);
  return redaction;
};

/** Written in pieces of this many bytes. */
const linesOf = (text: string, redaction: Redaction, size: number): string[] => {
  const lines: string[] = [];
  const stderr = new StderrLines(redaction, (line) => lines.push(line));
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += size) stderr.push(bytes.subarray(at, at + size));
  stderr.end();
  return lines;
};

describe.each([1, 1_000, 1_000_000])("a line that comes in pieces of %i bytes", (size) => {
  test("is cut at 8,192 characters, and the next one is whole", () => {
    expect(linesOf(`${"a".repeat(100_000)}\nnext\r\n\nlast`, knowing(), size)).toEqual([
      "a".repeat(8_192),
      "next",
      "",
      "last",
    ]);
    expect(linesOf("€".repeat(10_000), knowing(), size)).toEqual(["€".repeat(8_192)]);
  });

  test("shows nothing of a secret that stands across the cut", () => {
    const line = `${"a".repeat(8_185)}${SECRET}${"b".repeat(10_000)}`;
    expect(linesOf(line, knowing(SECRET), size)).toEqual([`${"a".repeat(8_185)}[redact`]);
  });

  test("shows nothing of a secret that stands across the end of what is kept of it", () => {
    // It shrinks by so much that all of what is kept would be shown.
    const [shown = ""] = linesOf(SECRET.repeat(5_000), knowing(SECRET), size);
    expect(shown).toMatch(/^(\[redacted\])+(\[[a-z]*)?$/);
    // It holds another, in whose place comes more than it was.
    const nested = `key:${"pass".repeat(20)}`;
    const [other = ""] = linesOf(nested.repeat(5_000), knowing(nested, "pass"), size);
    expect(other).not.toContain("key");
  });

  test("shows nothing of a secret that is longer than a line", () => {
    const long = Array.from({ length: 20_000 }, (_, i) => i % 10).join("");
    expect(linesOf(`key ${long} end`, knowing(long), size)).toEqual(["key [redacted] end"]);
  });
});

test("the beginning of an output shows nothing of a secret that stands across its end", () => {
  const opening = new ShownBeginning(knowing(SECRET), 2_000);
  expect(opening.show(Buffer.from(`${"a".repeat(1_995)}${SECRET}`))).toBe(`${"a".repeat(1_995)}[reda`);
  expect(opening.show(Buffer.from(SECRET.repeat(1_000)))).not.toContain("hunter");
});
