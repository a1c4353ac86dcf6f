import fc from "fast-check";
import { readdirSync, readFileSync } from "node:fs";
import { isDeepStrictEqual } from "node:util";
import { describe, expect, it } from "vitest";
import { checkOutput } from "./check-output.ts";
import { workDone } from "./check-work.ts";
import { compileSchema, type Compiled } from "./compile-schema.ts";
import { schemaDefect } from "./schema-defect.ts";

type Schema = Readonly<Record<string, unknown>>;

const compile = (inputSchema: Schema): Compiled => compileSchema({ inputSchema });

const verdict = (schema: Schema, value: unknown): string => {
  const compiled = compile(schema);
  if ("unreadable" in compiled) return `unreadable: ${compiled.unreadable}`;
  return compiled.check(value)?.reason ?? "valid";
};

const TOO_MUCH = "takes too much work to check against the schema; send less at once";

/** Each level refers to the one below twice: so many levels, so many times doubled. */
const doubling = (levels: number, keyword: string): Schema => {
  const defs: Record<string, unknown> = { l0: { type: "string" } };
  for (let i = 1; i <= levels; i++) {
    const below = { $ref: `#/$defs/l${i - 1}` };
    defs[`l${i}`] = { [keyword]: [below, below] };
  }
  return { $defs: defs, properties: { x: { $ref: `#/$defs/l${levels}` } } };
};

describe("a schema that asks for a verdict later", () => {
  const late = { $async: true, type: "object", required: ["x"] };

  it.each<[string, Schema]>([
    ["at its root", late],
    ["where it is referred to", { $defs: { a: late }, $ref: "#/$defs/a" }],
    [
      "where it is referred to by whoever calls",
      { $defs: { a: { $dynamicAnchor: "n", ...late } }, $dynamicAnchor: "n", allOf: [{ $dynamicRef: "#n" }] },
    ],
    ["as anything but true", { ...late, $async: {} }],
  ])("is not used: %s", (_, schema) => {
    expect(verdict(schema, {})).toContain("schema_unsupported: $async");
    expect(schemaDefect(schema)).toContain("$async");
    expect(checkOutput({ outputSchema: schema }, {})).toContain("cannot be used");
  });
});

describe("a schema that multiplies its work", () => {
  it.each(["anyOf", "oneOf", "allOf"])("is given up by %s, however few subschemas it has", (keyword) => {
    const value = { x: keyword === "anyOf" ? 1 : "a" };
    expect(schemaDefect(doubling(40, keyword))).toBeNull();
    expect(verdict(doubling(40, keyword), value)).toBe(TOO_MUCH);
    expect(verdict(doubling(3, keyword), value)).not.toBe(TOO_MUCH);
  });

  it("is given up where the references are no definitions, and for a result as for arguments", () => {
    const text = JSON.stringify(doubling(40, "allOf")).replaceAll("$defs", "elsewhere");
    expect(verdict(JSON.parse(text) as Schema, { x: "a" })).toBe(TOO_MUCH);
    expect(checkOutput({ outputSchema: doubling(40, "allOf") }, { x: "a" })).toBe(`the result ${TOO_MUCH}`);
  });

  const numbers = (length: number): object => ({ xs: Array.from({ length }, (_, i) => i) });
  const ofItems = (xs: object): Schema => ({
    properties: { xs: { type: "array", ...xs } },
    $defs: { s: { type: "string" } },
  });

  it.each<[string, Schema, unknown]>([
    [
      "a list of values",
      ofItems({ items: { enum: Array.from({ length: 50_000 }, (_, i) => -i) } }),
      { xs: Array.from({ length: 2_000 }, () => -49_999) },
    ],
    ["many wrong items", ofItems({ contains: { $ref: "#/$defs/s" } }), numbers(50_000)],
    ["a large pattern", { properties: { a: { pattern: "^(a?){1000}a{1000}$" } } }, { a: "a".repeat(20_000) }],
    [
      "many patterns for many names",
      { patternProperties: Object.fromEntries(Array.from({ length: 900 }, (_, i) => [`(x|y)*b${i}`, {}])) },
      Object.fromEntries(Array.from({ length: 20_000 }, (_, i) => [`xyxyx${i}`, 1])),
    ],
    [
      "no end",
      { $defs: { a: { items: { $ref: "#/$defs/a" }, uniqueItems: true } }, $ref: "#/$defs/a" },
      nested(20_000),
    ],
  ])("is given up for %s", (_, schema, value) => {
    expect(verdict(schema, value)).toBe(TOO_MUCH);
  });

  it("is unreadable when it only refers to itself", () => {
    const schema = { allOf: [{ $ref: "#/$defs/a" }], $defs: { a: { $ref: "#/$defs/a" } } };
    expect(verdict(schema, {})).toMatch(/^unreadable/);
  });

  it("is too large with thousands side by side", () => {
    expect(schemaDefect({ anyOf: Array.from({ length: 1_001 }, () => ({})) })).toContain("schema_too_large");
    expect(schemaDefect({ enum: Array.from({ length: 5_000 }, (_, i) => `v${i}`) })).toBeNull();
  });

  it("costs as many steps as the value is long where it multiplies nothing", () => {
    const row = { type: "object", properties: { a: { type: "number" } }, required: ["a"], additionalProperties: false };
    const workFor = (length: number): number => {
      expect(verdict(ofItems({ items: row }), { xs: Array.from({ length }, (_, a) => ({ a })) })).toBe("valid");
      return workDone();
    };
    expect(workFor(20_000)).toBeLessThan(2.1 * workFor(10_000));
  });
});

const nested = (levels: number): unknown => {
  let value: unknown = 1;
  for (let i = 0; i < levels; i++) value = [value];
  return value;
};

describe("schemas that recur in earnest", () => {
  const TREE = {
    $defs: {
      json: {
        anyOf: [
          { type: ["string", "number", "boolean", "null"] },
          { type: "array", items: { $ref: "#/$defs/json" } },
          { type: "object", additionalProperties: { $ref: "#/$defs/json" } },
        ],
      },
    },
    properties: { x: { $ref: "#/$defs/json" } },
  };

  it("any JSON, large and nested", () => {
    const rows = Array.from({ length: 5_000 }, (_, i) => ({ id: i, tags: ["a", "b"], more: { n: null, on: true } }));
    expect(verdict(TREE, { x: rows })).toBe("valid");
    expect(verdict(TREE, { x: nested(200) })).toBe("valid");
  });

  it("expressions whose kinds share their members", () => {
    const of = { $ref: "#/$defs/e" };
    const kind = (op: string): object => ({ properties: { left: of, right: of, op: { const: op } }, required: ["op"] });
    const schema = { $defs: { e: { anyOf: [{ type: "number" }, kind("add"), kind("mul")] } }, properties: { x: of } };
    let x: unknown = 1;
    for (let i = 0; i < 8; i++) x = { left: x, right: 2, op: "mul" };
    expect(verdict(schema, { x })).toBe("valid");
    expect(verdict(schema, { x: { left: x, right: 2, op: "div" } })).not.toBe("valid");
  });

  it.each(["https://json-schema.org/draft/2020-12/schema", "http://json-schema.org/draft-07/schema#"])(
    "the schema of schemas, %s",
    (id) => {
      const meta = { $schema: id, properties: { x: { $ref: id } } };
      expect(verdict(meta, { x: TREE })).toBe("valid");
      expect(verdict(meta, { x: { properties: { a: { type: 3 } } } })).not.toBe("valid");
    },
  );

  it("the published ones of the protocol", () => {
    const folder = new URL("../../../test/chp-schemas/", import.meta.url);
    const files = readdirSync(folder).filter((file) => file.endsWith(".json"));
    const own = files.map((file) => JSON.parse(readFileSync(new URL(file, folder), "utf8")) as Schema);
    const alone = own.filter((schema) => !JSON.stringify(schema).includes('"$ref":"http'));
    expect(alone.length).toBeGreaterThan(20);
    expect(alone.map((schema) => verdict(schema, {})).filter((each) => each.startsWith("unreadable"))).toEqual([]);
    expect(alone.map((schema) => verdict(schema, {}))).not.toContain(TOO_MUCH);
  });
});

describe("unique items", () => {
  const schema = { type: "array", uniqueItems: true };

  it("are told apart as JSON Schema says", () => {
    const item = fc.oneof(
      fc.constantFrom<unknown>(0, 1, "1", null, "null", true, [], {}),
      fc.jsonValue({ maxDepth: 2 }),
    );
    fc.assert(
      fc.property(fc.array(item, { maxLength: 6 }), (items) => {
        // As they come over the wire: there is one zero.
        const said = JSON.parse(JSON.stringify(items)) as unknown[];
        const twice = said.some((one, i) => said.some((other, j) => i < j && isDeepStrictEqual(one, other)));
        expect(verdict(schema, said) === "valid").toBe(!twice);
      }),
    );
  });

  it("names the two that are the same, whatever the order of their members", () => {
    expect(verdict(schema, [0, { a: 1, b: 2 }, { b: 2, a: 1 }])).toContain("items ## 1 and 2 are identical");
    expect(verdict({ ...schema, uniqueItems: false }, [1, 1])).toBe("valid");
  });

  it("cost as many steps as there are", () => {
    const workFor = (length: number): number => {
      expect(
        verdict(
          schema,
          Array.from({ length }, (_, i) => i),
        ),
      ).toBe("valid");
      return workDone();
    };
    expect(workFor(80_000)).toBeLessThan(2.1 * workFor(40_000));
  });
});
