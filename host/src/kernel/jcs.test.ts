import { readFileSync } from "node:fs";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { jcs } from "./jcs.ts";

const read = (name: string): unknown =>
  JSON.parse(readFileSync(new URL(`../../test/vectors/${name}`, import.meta.url), "utf8"));
const { cases } = read("chp/canon/cases-jcs.json") as {
  cases: { name: string; input: unknown; expected_canon: string }[];
};
const ours = read("bailiwick/evidence.json") as { jcs_numbers: { input: unknown; canonical: string }[] };

describe("canonical JSON of RFC 8785", () => {
  it.each(cases)("writes $name as the protocol's vector", ({ input, expected_canon }) => {
    expect(jcs(input)).toBe(expected_canon);
  });

  it.each(ours.jcs_numbers)("writes the numbers of $canonical", ({ input, canonical }) => {
    expect(jcs(input)).toBe(canonical);
  });

  it("writes numbers as the RFC's appendix does", () => {
    const numbers = [
      0, -0, 5e-324, -5e-324, 1.7976931348623157e308, 9007199254740992, 295147905179352830000, 1e21, 1e-7,
    ];
    expect(jcs(numbers)).toBe(
      "[0,0,5e-324,-5e-324,1.7976931348623157e+308,9007199254740992,295147905179352830000,1e+21,1e-7]",
    );
  });

  it("gives values without a canonical form a text that no other value has", () => {
    expect(jcs(JSON.parse('{"a":1e400}'))).toBe('{"a":Infinity}');
    expect(jcs("\ud800")).toBe('"\\ud800"');
  });

  it("does not depend on the order of members and parses back to the same value", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const text = jcs(value);
        expect(jcs(JSON.parse(text))).toBe(text);
        expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(value)));
      }),
    );
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.integer()), (object) => {
        expect(jcs(Object.fromEntries(Object.entries(object).toReversed()))).toBe(jcs(object));
      }),
    );
  });
});
