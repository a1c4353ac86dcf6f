import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parseArguments, readArguments } from "./read-arguments.ts";
import { UsageError } from "./usage-error.ts";

let cwd: string;
beforeAll(() => {
  cwd = mkdtempSync(join(tmpdir(), "bailiwick-arguments-"));
  writeFileSync(join(cwd, "a.json"), '\uFEFF{"from":"file"}');
});
afterAll(() => rmSync(cwd, { recursive: true, force: true }));

const read = (word: string | undefined, input = "") => readArguments({ word, cwd, stdin: Readable.from([input]) });

describe("the arguments of a call", () => {
  it("come from the command line, a file, standard input, or are empty", async () => {
    expect(await read('{"a":[1]}')).toEqual({ a: [1] });
    expect(await read("@a.json")).toEqual({ from: "file" });
    expect(await read("-", '{"from":"input"}')).toEqual({ from: "input" });
    expect(await read(undefined)).toEqual({});
  });

  it("keep every number that a double holds", () => {
    expect(parseArguments('\uFEFF{"a":9007199254740991,"b":-0.1,"c":1e10}', "x")).toEqual({
      a: 9007199254740991,
      b: -0.1,
      c: 1e10,
    });
  });

  it("name the file that cannot be read", async () => {
    await expect(read("@missing.json")).rejects.toThrow(`${join(cwd, "missing.json")} cannot be read`);
  });

  it.each([
    ["{a:1}", 'line 1, column 2: unexpected "a:1}"'],
    ['{"a":1,}', 'line 1, column 8: unexpected "}"'],
    ['{"a":', "line 1, column 6: it ends too early"],
    ["", "line 1, column 1: it ends too early"],
    ['{"a":tru}', 'line 1, column 9: unexpected "}"'],
    ['{"aaa":"a",\n "b": aa}', 'line 2, column 7: unexpected "aa}"'],
    ["[1]", "expected one JSON object, found a list"],
    ["null", "found null"],
    ['"x"', "found a string"],
    ['{"a":{"b":1,"b":2}}', "the arguments: /a/b is there twice"],
    [String.raw`{"a":1,"\u0061":2}`, "/a is there twice"],
    ['{"a":[1,9007199254740993]}', "the number at /a/1 cannot be kept"],
    ['{"a":1e400}', "the number at /a cannot be kept"],
    [`{"a":${"[".repeat(600)}${"]".repeat(600)}}`, "nested deeper than 512"],
  ])("%j is refused with the place: %s", (json, expected) => {
    expect(() => parseArguments(json, "the arguments")).toThrow(expected);
  });

  it("are an object or a usage error, whatever is typed", () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.json()), (json) => {
        try {
          expect(typeof parseArguments(json, "x")).toBe("object");
        } catch (error) {
          expect(error).toBeInstanceOf(UsageError);
        }
      }),
    );
  });
});
