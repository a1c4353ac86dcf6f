import { describe, expect, it } from "vitest";
import { rawJson } from "../../kernel/raw-json.ts";
import { Refusal } from "../../kernel/refusal.ts";
import { NO_ROOTS } from "../../kernel/roots-for-tests.ts";
import type { Permitted } from "../../kernel/stages.ts";
import { createInput } from "./input.ts";

const input = createInput({ guardrailsOf: () => [], rootsOf: NO_ROOTS }).run;

const call = (inputSchema: unknown, argsJson: string): Permitted =>
  ({
    args: JSON.parse(argsJson) as object,
    operation: "call",
    required: [],
    argsJson: rawJson(argsJson),
    principal: { workspace: "ws_default" },
    target: {
      flatName: "shop__order",
      capability: { id: "order" },
      tool: { definition: "sha256:0", value: { name: "order", inputSchema } },
    },
  }) as unknown as Permitted;

const refusalOf = (run: () => unknown): Refusal => {
  try {
    run();
  } catch (no) {
    if (no instanceof Refusal) return no;
    throw no;
  }
  throw new Error("was not refused");
};

const SCHEMA = {
  type: "object",
  properties: { amount: { type: "integer", minimum: 1 }, unit: { enum: ["kg", "t"] } },
  required: ["amount"],
  additionalProperties: false,
};

describe("input", () => {
  it("adds the canonical text of valid arguments", () => {
    expect(input(call(SCHEMA, '{"unit":"kg","amount": 3.0}')).canonicalArgs).toBe('{"amount":3,"unit":"kg"}');
  });

  it.each([
    ['{"amount":"3"}', "/amount", "must be integer"],
    ["{}", "", "must have required property 'amount'"],
    ['{"amount":1,"x":2}', "", 'must NOT have additional properties ("x")'],
    ['{"amount":1,"unit":"lb"}', "/unit", 'must be equal to one of the allowed values (["kg","t"])'],
    ['{"amount":9007199254740993}', "/amount", "is a number that cannot be kept exactly; send it as a string"],
    ['{"amount":1e400}', "/amount", "is a number that cannot be kept exactly; send it as a string"],
  ])("refuses %s with the path and the reason", (args, path, reason) => {
    const no = refusalOf(() => input(call(SCHEMA, args)));
    expect(no.kind).toBe("invalid_input");
    expect(no.details).toMatchObject({ path, reason });
    expect(no.message).toContain("shop__order");
  });

  it("reads draft-07 and 2020-12 by $schema", () => {
    const tuple = (dialect: string, keyword: string) => ({
      $schema: dialect,
      type: "object",
      properties: { pair: { type: "array", [keyword]: [{ type: "string" }, { type: "number" }] } },
    });
    const old = tuple("http://json-schema.org/draft-07/schema#", "items");
    const now = tuple("https://json-schema.org/draft/2020-12/schema", "prefixItems");
    for (const schema of [old, now]) {
      expect(input(call(schema, '{"pair":["a",1]}')).canonicalArgs).toBe('{"pair":["a",1]}');
      expect(refusalOf(() => input(call(schema, '{"pair":[1,"a"]}'))).details["path"]).toBe("/pair/0");
    }
  });

  it("lets two tools use the same $id without one taking the other's schema", () => {
    const one = { $id: "urn:example:same", type: "object", properties: { a: { type: "string" } } };
    const two = { $id: "urn:example:same", type: "object", properties: { a: { type: "number" } } };
    expect(input(call(one, '{"a":"x"}'))).toBeDefined();
    expect(input(call(two, '{"a":1}'))).toBeDefined();
    expect(refusalOf(() => input(call(one, '{"a":1}'))).kind).toBe("invalid_input");
  });

  it.each([
    ["a reference to the network", { $ref: "https://example.invalid/schema.json" }],
    ["a type that does not exist", { type: "objekt" }],
    ["no object", "yes"],
    ["too deep", Array.from({ length: 70 }).reduce<object>((inner) => ({ not: inner }), {})],
  ])("suspends a tool whose schema has %s, and sends nothing unchecked", (_, schema) => {
    const no = refusalOf(() => input(call(schema, "{}")));
    expect(no.kind).toBe("suspended");
    expect(no.next).not.toBe("");
  });
});

describe("a hostile pair of schema and argument", () => {
  it("cannot hold up the host: patterns take linear time", () => {
    const schema = { type: "object", properties: { a: { type: "string", pattern: "^(a+)+$" } } };
    const no = refusalOf(() => input(call(schema, JSON.stringify({ a: `${"a".repeat(20_000)}!` }))));
    expect(no.details["path"]).toBe("/a");
    expect(input(call(schema, '{"a":"aaa"}'))).toBeDefined();
  });

  it("suspends a tool whose pattern cannot be matched in linear time", () => {
    const schema = { type: "object", properties: { a: { type: "string", pattern: "^(?=x)x$" } } };
    expect(refusalOf(() => input(call(schema, '{"a":"x"}'))).kind).toBe("suspended");
  });

  it("reads a pattern as ECMAScript writes it", () => {
    const schema = { type: "object", properties: { a: { type: "string", pattern: "^\\u0041[\\/\\d]{2}$" } } };
    expect(input(call(schema, '{"a":"A/1"}'))).toBeDefined();
    expect(refusalOf(() => input(call(schema, '{"a":"B/1"}'))).kind).toBe("invalid_input");
  });

  it("is told of in a few words, however long the caller's names are", () => {
    const no = refusalOf(() => input(call(SCHEMA, JSON.stringify({ amount: 1, ["k".repeat(2_000_000)]: 1 }))));
    expect(no.kind).toBe("invalid_input");
    expect(no.message.length).toBeLessThan(1_500);
    expect(JSON.stringify(no.details).length).toBeLessThan(1_500);
  });
});
