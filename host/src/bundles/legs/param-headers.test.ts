import { describe, expect, it } from "vitest";
import { headerValue } from "./http-headers.ts";
import { paramHeaders } from "./param-headers.ts";

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
