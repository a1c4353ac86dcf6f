import { describe, expect, it } from "vitest";
import { rawJson } from "../../kernel/raw-json.ts";
import { readEntries, toPrompt, toResource, toTool, type Pages } from "./list-entry.ts";

const raw = (...texts: string[]): Pages => ({
  entries: texts.map((text) => ({ json: rawJson(text), value: JSON.parse(text) as unknown })),
  defects: [],
});
const tool = (members: string): string => `{"name":"t","inputSchema":{"type":"object"}${members}}`;
const definition = (text: string): string | undefined => readEntries(raw(text), toTool, [])[0]?.definition;

describe("readEntries", () => {
  it("keeps an entry as the text it came as", () => {
    const text = '{ "name":"t", "inputSchema":{"type":"object","x":1.0},"execution":{"a":[]},"unknown":1e2 }';
    expect(readEntries(raw(text), toTool, [])).toMatchObject([{ name: "t", json: text }]);
  });

  it.each([
    ['"text"', "an entry is not an object"],
    ['{"inputSchema":{"type":"object"}}', "a tool has no usable name"],
    ['{"name":"","inputSchema":{"type":"object"}}', "a tool has no usable name"],
    ['{"name":"a\\nb","inputSchema":{"type":"object"}}', "a tool has no usable name"],
    ['{"name":"t"}', 'tool "t" has no inputSchema of type object'],
    ['{"name":"t","inputSchema":{"type":"string"}}', 'tool "t" has no inputSchema of type object'],
    [tool(',"description":7'), 'tool "t" has a "description" of the wrong type'],
    [tool(',"annotations":{"readOnlyHint":"yes"}'), 'tool "t" has a "readOnlyHint" of the wrong type'],
    [tool(',"title":"a","title":"b"'), '"t" repeats a member at /title'],
    [tool(`,"deep":${"[".repeat(200)}${"]".repeat(200)}`), '"t" is nested deeper than 128 levels'],
  ])("leaves out %s and says why", (text, why) => {
    const defects: string[] = [];
    expect(readEntries(raw(text), toTool, defects)).toEqual([]);
    expect(defects).toEqual([why]);
  });

  it("keeps the first of two entries with one name", () => {
    const defects: string[] = [];
    const kept = readEntries(raw(tool(',"title":"first"'), tool(',"title":"second"')), toTool, defects);
    expect(kept.map((entry) => entry.value["title"])).toEqual(["first"]);
    expect(defects).toEqual(['"t" stands in the list twice; the first one counts']);
  });

  it("reads prompts and resources by their own names", () => {
    expect(readEntries(raw('{"name":"p","arguments":[]}'), toPrompt, [])).toMatchObject([{ name: "p" }]);
    expect(readEntries(raw('{"uri":"a://b","name":"n"}'), toResource, [])).toMatchObject([{ uri: "a://b" }]);
  });
});

describe("a tool's definition", () => {
  it("is the same whatever the order, spacing and members that it does not cover", () => {
    const plain = definition(tool(',"title":"T"'));
    expect(plain).toMatch(/^sha256:[0-9a-f]{64}$/);
    expect(definition('{"title":"T","inputSchema":{ "type" : "object" },"name":"t","icons":[],"_meta":{"x":1}}')).toBe(
      plain,
    );
  });

  it("changes with each member that it covers", () => {
    const all = [
      "",
      ',"title":"T"',
      ',"description":"D"',
      ',"outputSchema":{"type":"object"}',
      ',"annotations":{"readOnlyHint":true}',
      ',"_meta":{"ui":{}}',
      ',"_meta":{"dcc":{}}',
    ].map((members) => definition(tool(members)));
    expect(new Set(all).size).toBe(all.length);
  });
});
