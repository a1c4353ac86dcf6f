import { describe, expect, it } from "vitest";
import { argumentAt, findParamHeaders } from "./param-headers.ts";

const region = { type: "string", "x-mcp-header": "Region" };

describe("findParamHeaders", () => {
  it("finds annotations at any depth of properties, and none in data", () => {
    const schema = {
      properties: {
        region,
        place: { properties: { floor: { type: "integer", "x-mcp-header": "Floor" } } },
        "x-mcp-header": { type: "string" },
        plain: { default: { "x-mcp-header": 7 } },
      },
    };
    expect(findParamHeaders(schema)).toEqual([
      { header: "Region", path: ["region"] },
      { header: "Floor", path: ["place", "floor"] },
    ]);
  });

  it.each([
    [{ properties: { a: { type: "string", "x-mcp-header": "" } } }],
    [{ properties: { a: { type: "string", "x-mcp-header": "a b" } } }],
    [{ properties: { a: { type: "number", "x-mcp-header": "A" } } }],
    [{ properties: { a: region, b: { type: "string", "x-mcp-header": "REGION" } } }],
    [{ properties: { a: { items: region } } }],
    [{ anyOf: [{ properties: { a: region } }] }],
    [{ $defs: { a: region } }],
    [region],
  ])("finds %j wrong", (schema) => {
    expect(findParamHeaders(schema)).toEqual(expect.any(String));
  });
});

describe("argumentAt", () => {
  it("follows own members only", () => {
    const args = JSON.parse('{"a":{"b":7,"__proto__":1},"c":[1]}') as unknown;
    expect(argumentAt(args, ["a", "b"])).toBe(7);
    expect(argumentAt(args, ["a", "__proto__"])).toBe(1);
    for (const path of [["a", "x"], ["c", "0"], ["a", "b", "c"], ["constructor"], ["__proto__"]]) {
      expect(argumentAt(args, path)).toBeUndefined();
    }
  });
});
