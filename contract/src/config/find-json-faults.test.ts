import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { findJsonFaults } from "./find-json-faults.ts";

const accepts = (text: string): boolean => {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
};

const first = (text: string): string => findJsonFaults(text)[0]?.message ?? "";

describe("a file that is not JSON", () => {
  test.each([
    ['{\n  "a": 1,\n}', "line 3, column 1", "the comma before this is one too many"],
    ['{"a" 1}', "line 1, column 6", "expected : after the key"],
    ["{a: 1}", "line 1, column 2", "expected a key in double quotes"],
    ['{"a": 1\n "b": 2}', "line 2, column 2", "expected , or }"],
    ["[1 2]", "line 1, column 4", "expected , or ]"],
    ['{"a": // no\n1}', "line 1, column 7", "JSON has no comments"],
    ['{"a": "x\ny"}', "line 1, column 9", "written as an escape"],
    ['{"a": "\\x"}', "line 1, column 8", "no such escape"],
    ['{"a": "C:\\Users"}', "line 1, column 10", "no such escape"],
    ['{"a": 01}', "line 1, column 8", "expected , or }"],
    ['{"a": 1} b', "line 1, column 10", "expected the end of the file"],
    ['{"a": "b', "line 1, column 9", "the file ends too early"],
    ['{"a": [1,', "line 1, column 10", "the file ends too early"],
    ["", "line 1, column 1", "the file ends too early"],
    ["{\r\n\r\n,", "line 3, column 1", "expected a key"],
  ])("%j: the message says %s and why", (text, place, reason) => {
    expect(findJsonFaults(text)).toHaveLength(1);
    expect(first(text)).toContain(`${place}: not valid JSON`);
    expect(first(text)).toContain(reason);
  });

  test("is told from one that is, exactly as JSON.parse tells them", () => {
    const piece = fc.constantFrom(
      ...'{}[]:,"\\ \n\t/u0aF1.-+eE'.split(""),
      "true",
      "false",
      "null",
      '"k"',
      "\\u00e9",
      "\u0001",
      "é",
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 14 }), (pieces) => {
        const text = pieces.join("");
        const faults = findJsonFaults(text);
        // Repeated keys are the one thing on which the two differ.
        if (faults.some((fault) => fault.message.includes("more than once"))) return;
        expect(faults.length === 0).toBe(accepts(text));
      }),
      { numRuns: 5000 },
    );
  });

  test("is none for any JSON, however it is spaced", () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 6 }), fc.constantFrom(undefined, 2, "\t"), (value, space) => {
        const text = JSON.stringify(value, null, space);
        fc.pre(!text.includes("__proto__"));
        expect(findJsonFaults(text)).toEqual([]);
      }),
    );
  });
});

describe("JSON that two readers would read differently", () => {
  test("names every key that stands twice, also when it is spelt with escapes", () => {
    expect(
      findJsonFaults('{"a":{"b":1,"\\u0062":2},"a":3,"c/d":[{"x":1,"x":1}]}').map((fault) => fault.pointer),
    ).toEqual(["/a/b", "/a", "/c~1d/0/x"]);
  });

  test("refuses __proto__", () => {
    expect(findJsonFaults('{"env":{"__proto__":"x"}}')).toEqual([
      { pointer: "/env/__proto__", message: "this key is not allowed" },
    ]);
  });

  test("refuses nesting without end instead of overflowing", () => {
    expect(first("[".repeat(200_000))).toContain("nested more than 64 levels deep");
    expect(findJsonFaults(`${"[".repeat(64)}${"]".repeat(64)}`)).toEqual([]);
  });

  test("takes a string of megabytes", () => {
    expect(findJsonFaults(`{"a":"${"\\n".repeat(1_000_000)}${"x".repeat(1_000_000)}"}`)).toEqual([]);
  });
});
