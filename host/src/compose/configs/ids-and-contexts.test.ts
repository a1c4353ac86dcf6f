import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ComposeError } from "../compose-error.ts";
import { checkAnyId, checkConfigId, checkDraftId, makeDraftId } from "./config-id.ts";
import { mergePatch } from "./merge-patch.ts";
import { overlayContext, readContext } from "./read-context.ts";

const refusalOf = (run: () => unknown): ComposeError => {
  try {
    run();
  } catch (error) {
    if (error instanceof ComposeError) return error;
    throw error;
  }
  throw new Error("it was not refused");
};

describe("an id", () => {
  it.each(["a", "a-1", "constructor", "a".repeat(255)])("may be %s", (id) => {
    expect(checkConfigId(id)).toBe(id);
  });

  it.each([
    ["", "Config ID cannot be empty"],
    ["  ", "Config ID cannot be empty"],
    ["..", "Config ID contains invalid path characters"],
    ["../a", "Config ID contains invalid path characters"],
    ["a/b", "Config ID contains invalid path characters"],
    ["a\\b", "Config ID contains invalid path characters"],
    ["a\0b", "Config ID contains invalid path characters"],
    ["A", expect.stringContaining("must begin with a letter")],
    [".", expect.stringContaining("must begin with a letter")],
    ["-a", expect.stringContaining("must begin with a letter")],
    ["a\n", expect.stringContaining("must begin with a letter")],
    ["a".repeat(256), expect.stringContaining("at most 255")],
    [undefined, "Config ID must be a string"],
    [["a"], "Config ID must be a string"],
  ])("is not %j", (id, message) => {
    for (const check of [checkConfigId, checkAnyId]) {
      expect(refusalOf(() => check(id))).toMatchObject({ code: "invalid_config_id", message });
    }
  });

  it("that is accepted is a name in a folder, whatever it was", () => {
    const strange = fc.oneof(fc.string(), fc.stringMatching(/^[a-z./\\-]{0,6}$/));
    fc.assert(
      fc.property(strange, (id) => {
        try {
          expect(checkAnyId(id)).toMatch(/^[a-zA-Z0-9-]{1,255}$/);
        } catch (error) {
          expect(error).toBeInstanceOf(ComposeError);
        }
      }),
    );
  });

  it("of a draft says when it was made, and is none of a config", () => {
    const id = makeDraftId(new Date("2026-02-03T04:05:06.789Z"));
    expect(id).toMatch(/^draft-20260203T040506-[0-9a-f]{6}$/);
    expect([checkDraftId(id), checkAnyId(id)]).toEqual([id, id]);
    expect(refusalOf(() => checkConfigId(id)).code).toBe("invalid_config_id");
    expect(refusalOf(() => checkDraftId("letter")).message).toBe("Draft ID must be one that draft_config gave");
    expect(refusalOf(() => checkDraftId("../x")).message).toMatch(/path characters/);
  });
});

describe("a context", () => {
  it.each([
    [undefined, {}],
    [null, {}],
    ["", {}],
    [{ a: 1 }, { a: 1 }],
    [{ a: { source: "file" } }, { a: { source: "file" } }],
    ['{"a":{"b":[1]}}', { a: { b: [1] } }],
  ])("%j is %j", (given, context) => {
    expect(readContext(given)).toEqual(context);
  });

  it.each([
    [[1], { received_type: "array" }],
    [3, { received_type: "number" }],
    [true, { received_type: "boolean" }],
    ["[1]", { received_type: "array" }],
    ["null", { received_type: "null" }],
    [{ a: { source: "file", path: "/etc/passwd" } }, { received_type: "reference" }],
    ['{"a":{"source":"config","id":"x"}}', { received_type: "reference" }],
    ["not json", { received: "not json", error: expect.stringContaining("JSON") }],
  ])("%j is refused", (given, details) => {
    expect(refusalOf(() => readContext(given))).toMatchObject({ code: "invalid_context", details });
  });

  it("that is nested without end is refused", () => {
    expect(refusalOf(() => readContext(`${'{"a":'.repeat(50_000)}1${"}".repeat(50_000)}`)).code).toBe(
      "invalid_context",
    );
  });

  it("of a caller wins, and takes nothing of the prototype", () => {
    const merged = overlayContext({ a: 1, b: { c: 1 } }, readContext('{"b":{"d":2},"__proto__":{"x":1}}'));
    expect(merged).toHaveProperty("b", { d: 2 });
    expect((merged as { x?: number }).x).toBeUndefined();
    expect(Object.getPrototypeOf(merged)).toBe(Object.prototype);
  });
});

describe("a merge patch", () => {
  it.each([
    // The table of RFC 7396, appendix A.
    ['{"a":"b"}', '{"a":"c"}', '{"a":"c"}'],
    ['{"a":"b"}', '{"b":"c"}', '{"a":"b","b":"c"}'],
    ['{"a":"b"}', '{"a":null}', "{}"],
    ['{"a":"b","b":"c"}', '{"a":null}', '{"b":"c"}'],
    ['{"a":["b"]}', '{"a":"c"}', '{"a":"c"}'],
    ['{"a":"c"}', '{"a":["b"]}', '{"a":["b"]}'],
    ['{"a":{"b":"c"}}', '{"a":{"b":"d","c":null}}', '{"a":{"b":"d"}}'],
    ['{"a":[{"b":"c"}]}', '{"a":[1]}', '{"a":[1]}'],
    ['["a","b"]', '["c","d"]', '["c","d"]'],
    ['{"a":"b"}', '["c"]', '["c"]'],
    ['{"a":"foo"}', "null", "null"],
    ['{"a":"foo"}', '"bar"', '"bar"'],
    ['{"e":null}', '{"a":1}', '{"e":null,"a":1}'],
    ["[1,2]", '{"a":"b","c":null}', '{"a":"b"}'],
    ["{}", '{"a":{"bb":{"ccc":null}}}', '{"a":{"bb":{}}}'],
  ])("of %s by %s is %s", (target, patch, result) => {
    expect(JSON.stringify(mergePatch(JSON.parse(target), JSON.parse(patch)))).toBe(result);
  });

  it("makes a member of __proto__ and nothing else of it", () => {
    const merged = mergePatch({}, JSON.parse('{"__proto__":{"x":1}}')) as { x?: number };
    expect(merged.x).toBeUndefined();
    expect(JSON.stringify(merged)).toBe('{"__proto__":{"x":1}}');
  });
});
