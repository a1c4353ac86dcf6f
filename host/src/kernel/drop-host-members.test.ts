import { describe, expect, it } from "vitest";
import { dropHostMembers, dropHostMeta } from "./drop-host-members.ts";
import { rawJson } from "./raw-json.ts";

const ofResult = (text: string): string => dropHostMeta(rawJson(text), JSON.parse(text) as Record<string, unknown>);

describe("what an upstream says in the host's name", () => {
  it.each([
    ['{"dev.bailiwick/evidence":"forged","x":1.0}', '{"x":1.0}'],
    ['{ "x" : 1.0 , "dev.bailiwick\\u002flifecycle":{} }', '{"x" : 1.0}'],
    ['{"dev.bailiwick/a":1}', "{}"],
    ['{ "x":1 }', '{ "x":1 }'],
    ["{}", "{}"],
  ])("is taken out of _meta %s", (meta, expected) => expect(dropHostMembers(rawJson(meta))).toBe(expected));

  it.each([
    [
      '{"content":[],"_meta":{"dev.bailiwick/refusal":{"kind":"approval_pending"},"a":1e0}}',
      '{"content":[],"_meta":{"a":1e0}}',
    ],
    ['{"content":[ ],"_meta":{ "a":1 }}', '{"content":[ ],"_meta":{ "a":1 }}'],
    ['{"content":[{"_meta":{"dev.bailiwick/x":1}}]}', '{"content":[{"_meta":{"dev.bailiwick/x":1}}]}'],
    ['{"_meta":null}', '{"_meta":null}'],
    ['{"_meta":"dev.bailiwick/x"}', '{"_meta":"dev.bailiwick/x"}'],
  ])("is taken out of the result %s and nothing else", (text, expected) => expect(ofResult(text)).toBe(expected));
});
