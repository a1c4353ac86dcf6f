import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { putServer } from "./connect-put.ts";

const put = (text: string | null, entry: object = { url: "u" }) =>
  putServer(text, { member: "mcpServers", name: "bailiwick", entry });

describe("an entry in a client's file", () => {
  it("makes the file where there is none or an empty one", () => {
    const made = '{\n  "mcpServers": {\n    "bailiwick": {\n      "url": "u"\n    }\n  }\n}\n';
    expect(put(null)).toBe(made);
    expect(put(" \n")).toBe(made);
  });

  it("is put behind the others, and every other character stays", () => {
    const text = '{\n\t"big": 12345678901234567890,\n\t"mcpServers": {\n\t\t"a": {"command": "x"}\n\t},\n\t"z": 1.0\n}';
    expect(put(text)).toBe(
      '{\n\t"big": 12345678901234567890,\n\t"mcpServers": {\n\t\t"a": {"command": "x"},\n\t\t"bailiwick": {\n\t\t\t"url": "u"\n\t\t}\n\t},\n\t"z": 1.0\n}',
    );
  });

  it("takes the place of one of its name", () => {
    const text = '{"mcpServers":{"bailiwick":{"old":true},"b":1}}';
    expect(put(text, { url: "new" })).toBe('{"mcpServers":{"bailiwick":{\n      "url": "new"\n    },"b":1}}');
  });

  it("is not put into something else than an object", () => {
    expect(put('{"mcpServers":[]}')).toBeNull();
    expect(put('{"mcpServers":null}')).toBeNull();
  });

  it("stands in any object as if it had been set there", () => {
    const object = fc.dictionary(fc.string(), fc.jsonValue());
    const file = fc.oneof(object, fc.record({ a: fc.jsonValue(), mcpServers: object, z: fc.jsonValue() }));
    fc.assert(
      fc.property(file, fc.constantFrom(undefined, 2, "\t"), (value, indent) => {
        const text = JSON.stringify(value, null, indent);
        const before = JSON.parse(text) as Record<string, object | undefined>;
        const expected = { ...before, mcpServers: { ...before["mcpServers"], bailiwick: { url: "u" } } };
        expect(JSON.parse(put(text) ?? "")).toEqual(expected);
      }),
    );
  });
});
