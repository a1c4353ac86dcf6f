import { describe, expect, it } from "vitest";
import { readArgumentTest } from "./argument-test.ts";

const ask = (test: object, args: Record<string, unknown>): boolean | null | string => {
  const read = readArgumentTest(test);
  return "fault" in read ? read.fault : read.test(args);
};

describe("a test of an argument", () => {
  it.each([
    ["=", 5, 5, true],
    ["=", 5, 6, false],
    ["=", { a: [1] }, { a: [1] }, true],
    ["!=", 5, 6, true],
    ["!=", 5, 5, false],
    ["<", 5, 4, true],
    ["<", 5, 5, false],
    ["<=", 5, 5, true],
    [">", 5, 6, true],
    [">=", 5, 5, true],
    [">=", "2026-01-01", "2026-02-01", true],
    ["in", ["a", "b"], "b", true],
    ["in", ["a", "b"], "c", false],
    ["not_in", ["a", "b"], "c", true],
    ["not_in", ["a", "b"], "a", false],
    ["matches", "^rm\\b", "RM -rf /", true],
    ["matches", "^rm\\b", "ls", false],
    ["exists", undefined, "x", true],
    ["exists", false, "x", false],
  ])("%s %j of %j is %s", (op, value, found, expected) => {
    expect(ask({ path: "/a", op, ...(value === undefined ? {} : { value }) }, { a: found })).toBe(expected);
  });

  it.each([
    ["=", 5, "5"],
    ["!=", 5, "5"],
    [">", 5, "6"],
    [">", "a", 6],
    ["in", ["a"], 1],
    ["not_in", ["a"], 1],
    ["matches", "x", 5],
    ["under", "/tmp", "/tmp/x"],
  ])("%s has no answer for what cannot be compared: %j and %j", (op, value, found) => {
    expect(ask({ path: "/a", op, value }, { a: found })).toBeNull();
  });

  it("has no answer for what is missing, but for whether it exists", () => {
    expect(ask({ path: "/a", op: "!=", value: 1 }, {})).toBeNull();
    expect(ask({ path: "/a", op: "exists" }, {})).toBe(false);
    expect(ask({ path: "/a", op: "exists", value: false }, {})).toBe(true);
    expect(ask({ path: "/toString", op: "exists" }, {})).toBe(false);
  });

  it("follows a JSON pointer", () => {
    const args = { list: [{ "a/b": { "~": 7 } }] };
    expect(ask({ path: "/list/0/a~1b/~0", op: "=", value: 7 }, args)).toBe(true);
    expect(ask({ path: "", op: "=", value: args }, args)).toBe(true);
  });

  it.each([
    [{ path: "amount", op: "=", value: 1 }, "JSON pointer"],
    [{ path: "/a~2", op: "=", value: 1 }, "JSON pointer"],
    [{ path: "/a", op: "~", value: 1 }, "operator"],
    [{ path: "/a", op: "=" }, "needs a value"],
    [{ path: "/a", op: ">", value: null }, "number"],
    [{ path: "/a", op: "in", value: "x" }, "list"],
    [{ path: "/a", op: "matches", value: "(?=x)" }, "regular expression"],
    [{ path: "/a", op: "matches", value: "(" }, "regular expression"],
    [{ path: "/a", op: "exists", value: 1 }, "true or false"],
    [{ path: "/a", op: "=", value: 1, vlaue: 2 }, "no member"],
  ])("that cannot be read says why: %j", (test, why) => {
    expect(ask(test, {})).toContain(why);
  });

  it("takes linear time for a hostile pattern", () => {
    expect(ask({ path: "/a", op: "matches", value: "^(a+)+$" }, { a: `${"a".repeat(50_000)}!` })).toBe(false);
  });
});
