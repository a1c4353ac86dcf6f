import { describe, expect, test } from "vitest";
import type { ScriptEnd } from "../../../kernel/script.ts";
import { readOutput } from "./read-output.ts";

const ended = (stdout: string | Buffer, more: Partial<ScriptEnd> = {}): ScriptEnd => ({
  how: "exited",
  code: 0,
  signal: null,
  stdout: Buffer.from(stdout),
  lastLine: null,
  opening: "",
  ...more,
});

const read = (stdout: string | Buffer, more: Partial<ScriptEnd> = {}): Readonly<Record<string, unknown>> => {
  const { json, value, isError } = readOutput(ended(stdout, more), { nextTools: null });
  expect(JSON.parse(json)).toEqual(value);
  expect(value["isError"] === true).toBe(isError);
  return value;
};

const text = (said: string): object[] => [{ type: "text", text: said }];

describe("what a script writes", () => {
  test.each([
    ["an object", '{"a": [1, 2]}\n', { content: text('{"a": [1, 2]}'), structuredContent: { a: [1, 2] } }],
    ["a list", "[1,2]", { content: text("[1,2]"), structuredContent: { result: [1, 2] } }],
    ["a string", '"hi\\n"', { content: text("hi\n"), structuredContent: { result: "hi\n" } }],
    ["null", "null", { content: text("null"), structuredContent: { result: null } }],
    ["a number", " 1.0 ", { content: text("1.0"), structuredContent: { result: 1 } }],
    ["success", '{"success":true}', { content: text('{"success":true}'), structuredContent: { success: true } }],
    [
      "a failure",
      '{"success":false,"message":"m"}',
      {
        content: text('{"success":false,"message":"m"}'),
        structuredContent: { success: false, message: "m" },
        isError: true,
      },
    ],
    ["a result", '{"content":[{"type":"text","text":"x"}]}', { content: text("x") }],
    ["a result of no blocks", '{"content":[],"other":1}', { content: [], other: 1 }],
    [
      "a failure among whose members is an empty list of content",
      '{"success":false,"message":"boom","content":[]}',
      {
        content: text('{"success":false,"message":"boom","content":[]}'),
        structuredContent: { success: false, message: "boom", content: [] },
        isError: true,
      },
    ],
    [
      "a result that says that it failed",
      '{"success":false,"content":[{"type":"text","text":"boom"}],"isError":null}',
      { isError: true, success: false, content: text("boom") },
    ],
    [
      "a structured result that says that it failed",
      '{"success":false,"structuredContent":{"n":1}}',
      { isError: true, success: false, content: text('{"n":1}'), structuredContent: { n: 1 } },
    ],
    [
      "a result whose own word is that it did not fail",
      '{"success":false,"content":[],"structuredContent":{},"isError":false}',
      { success: false, content: [], structuredContent: {}, isError: false },
    ],
    [
      "a structured result",
      '{"structuredContent":{"n":1e2}}',
      { content: text('{"n":1e2}'), structuredContent: { n: 100 } },
    ],
    [
      "a failed result with members that some languages write as null",
      '{"content":[{"type":"text","text":"no"}],"structuredContent":null,"isError":true,"_meta":null}',
      { content: text("no"), isError: true },
    ],
    [
      "an object whose content is a text",
      '{"path":"a","content":"the text"}',
      { content: text('{"path":"a","content":"the text"}'), structuredContent: { path: "a", content: "the text" } },
    ],
    [
      "an object whose content is a list of something else",
      '{"content":["a"]}',
      { content: text('{"content":["a"]}'), structuredContent: { content: ["a"] } },
    ],
  ])("%s", (_, stdout, expected) => expect(read(stdout)).toEqual(expected));

  test("passes as it came: numbers keep their digits, keys their order", () => {
    const { json } = readOutput(ended('{"n":1.000,"big":12345678901234567890,"a":"\\u00e9"}'), { nextTools: null });
    expect(json).toContain('"structuredContent":{"n":1.000,"big":12345678901234567890,"a":"\\u00e9"}');
    const result = '{"structuredContent":{"n":1.000},"content":[],"x":1e400}';
    expect(readOutput(ended(result), { nextTools: null }).json).toBe(result);
  });

  test("of a member that stands twice the last is passed on alone, as it is judged by", () => {
    const twice = '{"isError":true,"content":[{"type":"text","text":"a"}],"content":[],"isErr\\u006fr":false}';
    const { json, isError } = readOutput(ended(twice), { nextTools: null });
    expect([json, isError]).toEqual(['{"isErr\\u006fr":false,"content":[]}', false]);
  });

  test.each([
    ["nothing", "", "The script wrote nothing."],
    ["text", "hello", "What the script wrote is not JSON."],
    ["two documents", "{}\n{}", "What the script wrote is not JSON."],
    ["bytes that are no text", Buffer.from([0x22, 0xff, 0x22]), "What the script wrote is not JSON."],
    [
      "a result with a broken member",
      '{"content":[],"isError":"yes"}',
      'What the script wrote is no MCP result: its "isError" is not what the protocol describes.',
    ],
    [
      "a result that claims to be a task",
      '{"content":[],"resultType":"task"}',
      'What the script wrote is no MCP result: its "resultType" is not what the protocol describes.',
    ],
    [
      "a structured result whose content is none",
      '{"structuredContent":{},"content":"x"}',
      'What the script wrote is no MCP result: its "content" is not what the protocol describes.',
    ],
  ])("%s is bad output, shown from its beginning", (_, stdout, message) => {
    const value = read(stdout, { opening: "the beginning" });
    expect(value).toMatchObject({
      isError: true,
      structuredContent: { error: "bad_output", message, output: "the beginning" },
    });
    expect(JSON.stringify(value["content"])).toContain("the beginning");
  });

  test("too much is bad output, whatever it is", () => {
    expect(read('"x"', { how: "too_large", code: null, opening: "" })).toMatchObject({
      isError: true,
      structuredContent: { error: "bad_output", message: "The script wrote more than 10,000,000 bytes." },
    });
  });

  test.each<[Pick<ScriptEnd, "code"> & Partial<ScriptEnd>, string]>([
    [{ code: 3, lastLine: "no such scene" }, "The script ended with code 3: no such scene"],
    [{ code: 1 }, "The script ended with code 1."],
    [{ code: null, signal: "SIGSEGV" }, "The script ended by SIGSEGV."],
  ])("counts for nothing when it ended badly: %j", (more, said) => {
    const value = read('{"fine":true}', more);
    expect(value).toMatchObject({
      content: text(said),
      isError: true,
      structuredContent: { error: "exit_code", code: more.code, last_line: more.lastLine ?? null },
    });
  });
});

describe("what is proposed next", () => {
  const nextTools = { onSuccess: ["render"], onFailure: ["explain"] };
  const metaOf = (stdout: string, next: typeof nextTools | null = nextTools): unknown => {
    const { json, value } = readOutput(ended(stdout), { nextTools: next });
    expect(JSON.parse(json)).toEqual(value);
    return value["_meta"];
  };

  test("depends on how it went", () => {
    expect(metaOf("{}")).toEqual({ dcc: { next_tools: { on_success: ["render"] } } });
    expect(metaOf('{"success":false}')).toEqual({ dcc: { next_tools: { on_failure: ["explain"] } } });
    expect(metaOf("{}", { onSuccess: [], onFailure: ["explain"] })).toBeUndefined();
    expect(metaOf("{}", null)).toBeUndefined();
  });

  test("stands beside what the script says about its result itself", () => {
    const own = '{"content":[],"_meta":{"a":1.0,"dcc":{"b":2,"next_tools":"mine"}}}';
    expect(metaOf(own)).toEqual({ a: 1, dcc: { b: 2, next_tools: { on_success: ["render"] } } });
    expect(readOutput(ended(own), { nextTools }).json).toContain('"a":1.0');
  });
});
