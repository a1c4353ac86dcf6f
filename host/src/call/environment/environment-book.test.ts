import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { ListedTool } from "../../kernel/provider.ts";
import { rawJson } from "../../kernel/raw-json.ts";
import { createEnvironmentBook, type EnvironmentBook, type EnvironmentSettings } from "./environment-book.ts";
import { missingCapabilities } from "./missing-capabilities.ts";

const toolOf = (meta?: unknown): ListedTool => {
  const value = { name: "import_usd", ...(meta === undefined ? {} : { _meta: meta }) };
  return { name: value.name, definition: "sha256:0", json: rawJson(JSON.stringify(value)), value };
};
const requiring = (...required: unknown[]): ListedTool => toolOf({ dcc: { required_capabilities: required } });
const bookOf = (settings: Partial<EnvironmentSettings> = {}): EnvironmentBook =>
  createEnvironmentBook({ declared: [], require: {}, providers: {}, ...settings });
const ask = (book: EnvironmentBook, tool: ListedTool, provider = "maya") =>
  book.of(provider, tool, `${provider}__${tool.name}`);

describe("what is missing", () => {
  it.each<[readonly string[], readonly string[], readonly string[]]>([
    [["scene.read"], ["scene"], ["scene.read"]],
    [["scene"], ["scene.read"], ["scene"]],
    [["usd"], ["*"], ["usd"]],
    [["*"], ["*"], []],
    [["*"], ["usd"], ["*"]],
    [["USD"], ["usd"], ["USD"]],
    [["usd "], ["usd"], ["usd "]],
    [["b", "a", "b", "c"], ["c"], ["b", "a", "b"]],
    [["", "a", ""], [], ["a"]],
    [[""], [], []],
    [["caf\u00e9"], ["cafe\u0301"], ["caf\u00e9"]],
    [["__proto__", "constructor"], [], ["__proto__", "constructor"]],
    [[], ["usd"], []],
  ])("of %j with %j declared is %j", (required, declared, missing) => {
    expect(missingCapabilities(required, new Set(declared))).toEqual(missing);
    expect(ask(bookOf({ declared }), requiring(...required))).toEqual({ required, missing });
  });
});

describe("what a tool says itself", () => {
  it.each([
    [undefined],
    [null],
    [{}],
    [{ dcc: null }],
    [{ dcc: {} }],
    [{ dcc: { other: 1 } }],
    [{ dcc: { required_capabilities: null } }],
    [{ dcc: { required_capabilities: [] } }],
    [{ dcc: { "required-capabilities": ["usd"] } }],
  ])("is nothing where its _meta is %j", (meta) => {
    expect(ask(bookOf(), toolOf(meta))).toEqual({ required: [], missing: [] });
  });

  it.each([
    [{ dcc: 1 }],
    [{ dcc: "usd" }],
    [{ dcc: false }],
    [{ dcc: ["usd"] }],
    [{ dcc: { required_capabilities: "usd" } }],
    [{ dcc: { required_capabilities: { 0: "usd" } } }],
    [{ dcc: { required_capabilities: false } }],
    [{ dcc: { required_capabilities: ["usd", 1] } }],
    [{ dcc: { required_capabilities: ["usd", null] } }],
    [{ dcc: { required_capabilities: [["usd"]] } }],
  ])("cannot be read where its _meta is %j", (meta) => {
    expect(ask(bookOf({ declared: ["usd"], require: { "*": ["x"] } }), toolOf(meta))).toBeNull();
  });

  it("cannot be read where nobody would read it: too many names, or one that is a text", () => {
    const names = (length: number): string[] => Array.from({ length }, (_, i) => `c${i}`);
    expect(ask(bookOf(), requiring(...names(64)))?.missing).toHaveLength(64);
    expect(ask(bookOf(), requiring(...names(65)))).toBeNull();
    for (const sign of ["c", "\u{1F600}"]) {
      expect(ask(bookOf(), requiring(sign.repeat(256)))?.missing).toHaveLength(1);
      expect(ask(bookOf(), requiring(sign.repeat(257)))).toBeNull();
    }
  });
});

describe("what an operator requires", () => {
  it("comes after the tool's own, in the order of the configuration, and only adds", () => {
    const require = { "maya__*": ["gpu", "usd"], maya__import_usd: ["licence"], "nuke__*": ["x"], "": ["y"], "*": [] };
    const book = bookOf({ declared: ["gpu"], require });
    expect(ask(book, requiring("usd"))).toEqual({
      required: ["usd", "gpu", "usd", "licence"],
      missing: ["usd", "usd", "licence"],
    });
    expect(ask(book, toolOf())?.required).toEqual(["gpu", "usd", "licence"]);
    expect(ask(book, toolOf(), "blender")).toEqual({ required: [], missing: [] });
  });

  it("is asked of flat names, as a whole", () => {
    const book = bookOf({ require: { import_usd: ["a"], maya: ["b"], "*_usd": ["c"], "MAYA__*": ["d"] } });
    expect(ask(book, toolOf())?.required).toEqual(["c"]);
  });
});

describe("what is declared for one provider", () => {
  const book = bookOf({ declared: ["usd", "usd", "gpu"], providers: { maya: ["gpu", "viewport"] } });

  it("is added to the host's list, for its tools only", () => {
    const tool = requiring("usd", "viewport");
    expect(ask(book, tool, "maya")?.missing).toEqual([]);
    expect(ask(book, tool, "nuke")?.missing).toEqual(["viewport"]);
    expect(ask(book, tool, "maya")?.missing).toEqual([]);
  });

  it("is told after the host's, each name once", () => {
    expect(book.declaredFor("maya")).toEqual(["usd", "gpu", "viewport"]);
    expect(book.declaredFor("nuke")).toEqual(["usd", "gpu"]);
    expect(book.declaredFor("constructor")).toEqual(["usd", "gpu"]);
  });
});

describe("a change", () => {
  const SETTINGS: EnvironmentSettings = { declared: ["usd"], require: { "*": [] }, providers: { maya: ["gpu"] } };

  it.each<[string, Partial<EnvironmentSettings>]>([
    ["declared", { declared: [] }],
    ["declared, one more,", { declared: ["scene", "usd"] }],
    ["require", { require: { "*": ["x"] } }],
    ["providers", { providers: { maya: [] } }],
  ])("of %s is one", (_, next) => {
    const book = createEnvironmentBook(SETTINGS);
    const before = book.generation();
    const after = { ...SETTINGS, ...next };
    expect(book.replace(after)).toEqual({ changed: true, before: ["usd"], after: after.declared });
    expect(book.generation()).not.toBe(before);
    expect(book.replace(structuredClone(after)).changed).toBe(false);
  });

  it("counts from the next question, and the answer is the same object until then", () => {
    const book = createEnvironmentBook(SETTINGS);
    const tool = requiring("scene.mutate");
    const first = ask(book, tool);
    expect(first?.missing).toEqual(["scene.mutate"]);
    expect(ask(book, tool)).toBe(first);
    expect(book.replace({ ...SETTINGS }).changed).toBe(false);
    expect(ask(book, tool)).toBe(first);
    book.replace({ ...SETTINGS, declared: ["scene.mutate"] });
    expect(ask(book, tool)?.missing).toEqual([]);
  });
});

const names = fc.array(fc.constantFrom("", "*", "usd", "USD", "scene", "scene.read", "gpu", "__proto__"), {
  maxLength: 6,
});

it("what is missing is required, not declared, and in the order of what is required", () => {
  fc.assert(
    fc.property(names, names, names, names, (own, extra, declared, more) => {
      const book = bookOf({ declared, require: { "*": extra }, providers: { maya: more } });
      const found = ask(book, requiring(...own))!;
      expect(found.required).toEqual([...own, ...extra]);
      const has = new Set(book.declaredFor("maya"));
      const rest = [...found.missing];
      for (const name of found.required) {
        if (rest[0] === name) rest.shift();
        else expect(name === "" || has.has(name)).toBe(true);
      }
      expect(rest).toEqual([]);
      expect(found.missing.some((name) => name === "" || has.has(name))).toBe(false);
    }),
  );
});
