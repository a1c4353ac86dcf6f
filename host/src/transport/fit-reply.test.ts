import { describe, expect, it } from "vitest";
import { rawJson } from "../kernel/raw-json.ts";
import { fitLegacy, fitModern } from "./fit-reply.ts";

const result = (json: string) => ({ member: "result", json: rawJson(json) }) as const;
const error = (json: string) => ({ member: "error", json: rawJson(json) }) as const;

describe("an answer in the modern form", () => {
  it.each([
    ["{}", '{"resultType":"complete"}'],
    ['{ "content":[] }', '{"resultType":"complete", "content":[] }'],
    ['{"resultType":"task","x":1}', '{"resultType":"task","x":1}'],
    ['{"content":[{"text":"\\"resultType\\""}]}', '{"resultType":"complete","content":[{"text":"\\"resultType\\""}]}'],
    ['{"structuredContent":{"resultType":1}}', '{"resultType":"complete","structuredContent":{"resultType":1}}'],
  ])("of a call, %s becomes %s", (json, expected) => {
    expect(fitModern(result(json), "call").json).toBe(expected);
  });

  it.each([
    ["{}", '{"resultType":"complete","ttlMs":0,"cacheScope":"private"}'],
    ['{"contents":[ 1.0 ]}', '{"resultType":"complete","ttlMs":0,"cacheScope":"private","contents":[ 1.0 ]}'],
    ['{"ttlMs":100,"a":1}', '{"resultType":"complete","ttlMs":100,"cacheScope":"private","a":1}'],
    ['{"cacheScope":"public","ttlMs":90000}', '{"resultType":"complete","ttlMs":60000,"cacheScope":"private"}'],
    ['{"ttlMs":-5}', '{"resultType":"complete","ttlMs":0,"cacheScope":"private"}'],
    ['{"ttlMs":"soon"}', '{"resultType":"complete","ttlMs":0,"cacheScope":"private"}'],
    ['{"ttlMs":1e999}', '{"resultType":"complete","ttlMs":60000,"cacheScope":"private"}'],
    ['{"resultType":"complete","a":1}', '{"ttlMs":0,"cacheScope":"private","resultType":"complete","a":1}'],
  ])("of a read, %s becomes %s", (json, expected) => {
    expect(fitModern(result(json), "read").json).toBe(expected);
  });

  it("never carries the legacy not-found code", () => {
    const json = '{"message":"\\"code\\":1","code": -32002 ,"data":{"code":-32002}}';
    expect(fitModern(error(json), "read").json).toBe(json.replace(" -32002 ", " -32602 "));
    expect(fitModern(error('{"code":-32000,"message":""}'), "read").json).toBe('{"code":-32000,"message":""}');
  });
});

describe("an answer in the legacy form", () => {
  it.each([
    ['{"content":[]}', '{"content":[]}'],
    ['{"structuredContent":{"a":1}}', '{"structuredContent":{"a":1}}'],
    ['{"structuredContent": [1.0] ,"x":1}', '{"structuredContent": {"result":[1.0]} ,"x":1}'],
    ['{"structuredContent":"{"}', '{"structuredContent":{"result":"{"}}'],
    ['{"structuredContent":null}', '{"structuredContent":{"result":null}}'],
    ['{"_meta":{"structuredContent":1}}', '{"_meta":{"structuredContent":1}}'],
  ])("%s becomes %s", (json, expected) => {
    expect(fitLegacy(result(json), "call").json).toBe(expected);
  });

  it("says a missing resource with the legacy code, and nothing else", () => {
    const json = '{"code":-32602,"message":"","data":{"uri":"a:b"}}';
    expect(fitLegacy(error(json), "read").json).toBe(json.replace("-32602", "-32002"));
    expect(fitLegacy(error(json), "call").json).toBe(json);
    const other = '{"code":-32602,"message":"bad cursor"}';
    expect(fitLegacy(error(other), "read").json).toBe(other);
  });
});
