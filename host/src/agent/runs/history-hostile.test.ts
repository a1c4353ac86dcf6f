/** What tools, files and models have said stays in its place when it is given to a model, at once and in later messages. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { StoredCall, StoredMessage } from "../../kernel/conversation.ts";
import type { ModelMessage } from "../../kernel/model.ts";
import { Refusal } from "../../kernel/refusal.ts";
import { hostileText, tagsIn } from "../prompt/hostile-text-for-tests.ts";
import { historyMessages } from "./history-messages.ts";
import { modelResult, refusalResult } from "./model-result.ts";

/** In JSON a blank becomes a letter after a backslash, which no reader takes for one. */
const inJson = hostileText.map((text) => text.replaceAll(/[\t\n\r\f\v\b]/g, " "));

const block = fc.oneof(
  fc.record({ type: fc.constant("text"), text: hostileText }),
  fc.record({ type: fc.constant("image"), data: hostileText, mimeType: hostileText }),
  fc.record({ type: fc.constant("resource_link"), uri: hostileText, name: hostileText }),
  fc.record({
    type: fc.constant("resource"),
    resource: fc.record({ uri: hostileText, mimeType: hostileText, text: hostileText }),
  }),
  fc.record({ type: inJson, anything: inJson }),
  inJson,
);
const result = fc.oneof(
  fc.record({ content: fc.array(block, { maxLength: 3 }) }),
  fc.dictionary(inJson, inJson, { maxKeys: 3 }),
  fc.record({ content: fc.constant([]), structuredContent: fc.dictionary(inJson, inJson, { maxKeys: 3 }) }),
  inJson,
);

/** How it begins and ends, and the tags in it. */
const shapeOf = (text: string): readonly unknown[] => [
  text.startsWith("<tool-result"),
  text.endsWith("\n</tool-result>"),
  tagsIn(text),
];
const READABLE = { reader: () => "run" as const, report: () => {} };
const CONTAINED = [true, true, 2];

describe("a tool's result", () => {
  it("stays in its tag, whatever it is made of and whatever the tool is called", async () => {
    await fc.assert(
      fc.asyncProperty(hostileText, result, async (name, given) => {
        const keep = { keepFile: async () => "files://fl_1", ...READABLE };
        expect(shapeOf((await modelResult({ ...keep, name, result: given })).text)).toEqual(CONTAINED);
      }),
      { numRuns: 300 },
    );
  });

  it("that is long stays in its tag, and the note about the rest is outside of it with no tag of its own", async () => {
    await fc.assert(
      fc.asyncProperty(hostileText, hostileText, async (name, said) => {
        const kept: string[] = [];
        const keepFile = async ({ filename }: { readonly filename: string }): Promise<string> => {
          kept.push(filename);
          return `files://${said}`;
        };
        const long = `${"x".repeat(49_990)}${said}${"y".repeat(20_000)}`;
        const given = { content: [{ type: "text", text: long }] };
        const { text } = await modelResult({ name, result: given, keepFile, ...READABLE });
        expect(tagsIn(text)).toBe(2);
        expect(text).toContain("\n</tool-result>\nNote of the host: ");
        expect(kept).toHaveLength(1);
        expect(kept[0]).toMatch(/^[A-Za-z0-9_.-]{1,128}-result\.txt$/);
      }),
      { numRuns: 60 },
    );
  });

  it("that is a refusal which quotes a server stays in its tag", () => {
    fc.assert(
      fc.property(hostileText, hostileText, hostileText, (name, message, next) => {
        expect(shapeOf(refusalResult(name, new Refusal("upstream_failed", { message, next })).text)).toEqual(CONTAINED);
      }),
      { numRuns: 300 },
    );
  });
});

const call: fc.Arbitrary<StoredCall> = fc.record({
  id: hostileText,
  name: hostileText,
  input: fc.oneof(hostileText, fc.dictionary(hostileText, hostileText, { maxKeys: 2 })),
  output: hostileText,
  ok: fc.boolean(),
  ms: fc.nat(),
  outcome: fc.constantFrom("success" as const, "failure" as const, "indeterminate" as const, null),
});
const ts = new Date(0).toISOString();
const stored: fc.Arbitrary<StoredMessage> = fc.oneof(
  fc.record({
    role: fc.constant("user" as const),
    content: fc.constant("plain"),
    ts: fc.constant(ts),
    files: fc.array(hostileText, { maxLength: 2 }),
  }),
  fc.record({
    role: fc.constant("assistant" as const),
    content: fc.constant("plain"),
    ts: fc.constant(ts),
    toolCalls: fc.array(call, { maxLength: 3 }),
  }),
);

describe("a conversation that is given to a model again", () => {
  it("has each result in one tag and no other tag, not in names of files either", () => {
    fc.assert(
      fc.property(fc.array(stored, { maxLength: 4 }), (earlier) => {
        const { messages } = historyMessages(earlier, { windowTokens: 1_000_000 });
        for (const each of messages) {
          if (each.role === "tool") for (const { text } of each.results) expect(shapeOf(text)).toEqual(CONTAINED);
          else expect(tagsIn(each.text)).toBe(0);
        }
      }),
      { numRuns: 300 },
    );
  });

  it("has a line for each file, whatever it is called", () => {
    fc.assert(
      fc.property(fc.array(hostileText, { minLength: 1, maxLength: 3 }), (files) => {
        const { messages } = historyMessages([{ role: "user", content: "plain", ts, files }], { windowTokens: 1e6 });
        const [first] = messages;
        const lines = textOf(first).split(/\r\n|[\n\r\v\f\u0085\u2028\u2029]/);
        expect(lines).toHaveLength(3 + files.length);
        expect(lines.slice(3).every((line) => line.startsWith("- ") || line === "-")).toBe(true);
      }),
      { numRuns: 300 },
    );
  });

  it("has an answer to every call under an id that no other has, whatever the ids were", () => {
    fc.assert(
      fc.property(fc.array(stored, { maxLength: 4 }), (earlier) => {
        const { messages } = historyMessages(earlier, { windowTokens: 1_000_000 });
        const asked = messages.flatMap((each) => (each.role === "assistant" ? each.calls.map(({ id }) => id) : []));
        const answered = messages.flatMap((each) => (each.role === "tool" ? each.results.map((r) => r.callId) : []));
        expect(answered).toEqual(asked);
        expect(new Set(asked).size).toBe(asked.length);
        for (const id of asked) expect(id).toMatch(/^[A-Za-z0-9_-]{1,64}$/);
      }),
      { numRuns: 300 },
    );
  });
});

const textOf = (message: ModelMessage | undefined): string => (message?.role === "user" ? message.text : "");
