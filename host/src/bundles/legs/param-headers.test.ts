import { describe, expect, it } from "vitest";
import { headerValue } from "./http-headers.ts";
import { findParamHeaders, paramHeaders } from "./param-headers.ts";

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

describe("paramHeaders", () => {
  it("writes what is sent, and nothing for what is absent, null or of another kind", () => {
    const declared = ["a", "b", "c", "d", "e"].map((name) => ({ header: name, path: ["in", name] }));
    const params = '"name":"t","arguments":{"in":{"a":"x","b":7,"c":true,"d":null,"e":[1]}}';
    expect(paramHeaders(declared, params)).toEqual({ "mcp-param-a": "x", "mcp-param-b": "7", "mcp-param-c": "true" });
    expect(paramHeaders(declared, '"name":"t"')).toEqual({});
  });
});

describe("headerValue", () => {
  it.each([
    ["plain text", "plain text"],
    ["", "=?base64??="],
    [" blank", "=?base64?IGJsYW5r?="],
    ["schön", "=?base64?c2Now7Zu?="],
    ["a\r\nb: c", "=?base64?YQ0KYjogYw==?="],
    ["=?base64?eA==?=", "=?base64?PT9iYXNlNjQ/ZUE9PT89?="],
  ])("of %j is %j", (value, header) => {
    expect(headerValue(value)).toBe(header);
  });
});
