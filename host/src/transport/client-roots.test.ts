import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { rawJson } from "../kernel/raw-json.ts";
import { clientRootsIn } from "./client-roots.ts";

const read = (result: object) => clientRootsIn(rawJson(JSON.stringify(result)), "http");
const listed = (...roots: unknown[]) => read({ roots })?.listed;
const HERO = { uri: "file:///projects/hero", name: "hero" };

describe("the roots that a client lists", () => {
  it("are kept in their order, with their names, whatever their scheme", () => {
    const other = { uri: "https://example.com/x" };
    expect(read({ roots: [HERO, other, HERO] })).toEqual({
      listed: [HERO, { ...other, name: null }, HERO],
      via: "http",
    });
    expect(listed({ ...HERO, name: null, _meta: { a: 1 } })).toEqual([{ ...HERO, name: null }]);
  });

  it.each([[{}], [{ roots: null }], [{ roots: { uri: "file:///a" } }], [{ roots: "file:///a" }], [{ Roots: [HERO] }]])(
    "are none in %j, which has no list",
    (result) => {
      expect(read(result)).toBeNull();
    },
  );

  it.each([
    [null],
    [5],
    ["file:///a"],
    [[HERO]],
    [{}],
    [{ name: "a" }],
    [{ uri: 5 }],
    [{ uri: null }],
    [{ uri: { toString: "file:///a" } }],
    [{ ...HERO, name: 5 }],
    [{ ...HERO, name: ["a"] }],
    [{ ...HERO, name: "n".repeat(257) }],
    [{ uri: `file:///${"a".repeat(4089)}` }],
  ])("do not count %j, and those beside it stay", (entry) => {
    expect(listed(HERO, entry, HERO)).toEqual([HERO, HERO]);
  });

  it("may be as long as the limits say", () => {
    const longest = { uri: `file:///${"a".repeat(4088)}`, name: "n".repeat(256) };
    expect(listed(longest)).toEqual([longest]);
  });

  it("are at most 64, the first of those that can be read", () => {
    const many = Array.from({ length: 10_000 }, (_, i) => ({ uri: `file:///${i}`, name: null }));
    expect(listed(5, ...many)).toEqual(many.slice(0, 64));
  });

  it("are counted as the client said them, whatever is kept", () => {
    const many = Array.from({ length: 100 }, (_, i) => ({ uri: `file:///${i}` }));
    expect(read({ roots: [5, ...many] })?.announced).toBe(101);
    expect(read({ roots: [] })).toEqual({ listed: [], via: "http" });
  });

  it("are kept up to 65,536 characters together, and none after the first that is too much", () => {
    const large = { uri: `file:///${"a".repeat(4088)}`, name: "n".repeat(128) };
    const found = read({ roots: [...Array.from({ length: 20 }, () => large), HERO] });
    expect(found?.listed).toEqual(Array.from({ length: 15 }, () => large));
    expect(found?.announced).toBe(21);
  });

  it("are within the limits for every answer", () => {
    const entry = fc.oneof(
      fc.jsonValue(),
      fc.record({ uri: fc.oneof(fc.string(), fc.jsonValue()), name: fc.oneof(fc.string(), fc.jsonValue()) }),
    );
    fc.assert(
      fc.property(fc.array(entry, { maxLength: 100 }), (roots) => {
        const found = listed(...roots) ?? [];
        expect(found.length).toBeLessThanOrEqual(64);
        for (const { uri, name } of found) {
          expect(typeof uri).toBe("string");
          expect(name === null || typeof name === "string").toBe(true);
        }
      }),
    );
  });
});
