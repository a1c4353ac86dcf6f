import { readFileSync } from "node:fs";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { stable, stableString } from "./stable.ts";

const read = (name: string): unknown =>
  JSON.parse(readFileSync(new URL(`../../test/vectors/${name}`, import.meta.url), "utf8"));
const { cases } = read("chp/canon/cases.json") as {
  cases: { name: string; input: unknown; expected_canon: string }[];
};

/** Plain data without the numbers and strings that canonical text has to change. */
const text = fc.string({ unit: "binary" }).map((each) => each.toWellFormed());
const { value: canonicalValue } = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    fc.constantFrom(null, true, false),
    fc.maxSafeInteger(),
    text,
    fc.array(tie("value"), { maxLength: 5 }),
    fc.dictionary(text, tie("value"), { maxKeys: 5 }),
  ),
}));

describe("chp-stable-v1", () => {
  it.each(cases)("writes $name as the protocol's vector", ({ input, expected_canon }) => {
    expect(stable(input)).toBe(expected_canon);
  });

  it("sorts by code point where UTF-16 order differs", () => {
    expect(stable({ "\u{1f512}": 1, "\ufb00": 2, a: 3 })).toBe('{"a": 3, "\\ufb00": 2, "\\ud83d\\udd12": 1}');
    expect(stable({ "\u{1f512}b": 1, "\u{1f512}": 2, "\u{1f511}": 3 })).toBe(
      '{"\\ud83d\\udd11": 3, "\\ud83d\\udd12": 2, "\\ud83d\\udd12b": 1}',
    );
  });

  it("turns fractions and large integers into strings and keeps safe integers", () => {
    expect(stable([0.5, 2 ** 53, 2 ** 53 - 1, -(2 ** 53 - 1), 1e21, -0, 12345678901234567890n, 7n])).toBe(
      '["0.5", "9007199254740992", 9007199254740991, -9007199254740991, "1e+21", 0, "12345678901234567890", 7]',
    );
  });

  it("replaces lone surrogates and lets keys that fall together be one", () => {
    expect(stable("a\ud800b")).toBe('"a\\ufffdb"');
    expect(stable({ "\ud800": 1, "\udc00": 2 })).toBe('{"\\ufffd": 2}');
  });

  it("leaves absent members out and keeps a member named __proto__", () => {
    expect(stable({ a: undefined, b: null, c: [undefined] })).toBe('{"b": null, "c": [null]}');
    expect(stable(JSON.parse('{"__proto__": {"x": 1}}'))).toBe('{"__proto__": {"x": 1}}');
  });

  it("is ASCII, parses back to the same value and is its own canonical text", () => {
    fc.assert(
      fc.property(canonicalValue, (value) => {
        const canonical = stable(value);
        expect(canonical).toMatch(/^[ -~]*$/);
        expect(stable(JSON.parse(canonical))).toBe(canonical);
        expect(JSON.parse(canonical)).toEqual(JSON.parse(JSON.stringify(value)));
      }),
    );
  });

  it("reads any string back", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (any) => {
        expect(JSON.parse(stableString(any))).toBe(any.toWellFormed());
      }),
    );
  });
});
