/** What of a conversation is written for a provider, whatever was in it before. */
import fc from "fast-check";
import { expect, test } from "vitest";
import type { ModelMessage, ModelToolCall } from "../../kernel/model.ts";
import { requestFor } from "./models-for-tests.ts";
import { writePrompt } from "./write-prompt.ts";

const odd = fc.oneof(
  fc.string({ maxLength: 20 }),
  fc.string({ unit: "binary", maxLength: 90 }),
  fc.constantFrom("call_0", "call_1", "call_2", ""),
);
const call = fc.record({ id: odd, name: odd, input: fc.constant(null), inputText: odd });
const turns = fc.array(
  fc.record({ text: odd, calls: fc.uniqueArray(call, { selector: ({ id }) => id, maxLength: 4 }) }),
  { maxLength: 6 },
);

interface Part {
  readonly type: string;
  readonly toolCallId: string;
  readonly toolName: string;
}

const messagesOf = (made: readonly { text: string; calls: ModelToolCall[] }[]): ModelMessage[] =>
  made.flatMap(({ text, calls }): ModelMessage[] => [
    { role: "user", text },
    { role: "assistant", text, calls },
    { role: "tool", results: calls.map(({ id, name }) => ({ callId: id, name, text, isError: false })) },
  ]);

test("each call has an id and a name that providers take, used once, and its result has the same", () => {
  fc.assert(
    fc.property(turns, fc.constantFrom("anthropic" as const, "openai-compatible" as const), (made, wire) => {
      const { prompt } = writePrompt(requestFor("m", { messages: messagesOf(made) }), wire);
      const parts = prompt.flatMap(({ content }) => (typeof content === "string" ? [] : (content as Part[])));
      const calls = parts.filter((part) => part.type === "tool-call");
      const results = parts.filter((part) => part.type === "tool-result");
      expect(calls).toHaveLength(made.flatMap((turn) => turn.calls).length);
      expect(new Set(calls.map(({ toolCallId }) => toolCallId)).size).toBe(calls.length);
      for (const { toolCallId, toolName } of calls)
        expect(`${toolCallId}/${toolName}`).toMatch(/^[\w-]{1,64}\/[\w-]{1,64}$/);
      expect(results.map(({ toolCallId }) => toolCallId)).toEqual(calls.map(({ toolCallId }) => toolCallId));
      expect(JSON.stringify(prompt).isWellFormed()).toBe(true);
      expect(JSON.stringify(prompt)).not.toMatch(/\\ud[89a-f]/i);
    }),
  );
});

test("an assistant's message without anything in it is left out, and blank text beside calls too", () => {
  const blank: ModelMessage = { role: "assistant", text: " \n", calls: [] };
  const calls = [{ id: "c", name: "a__b", input: {}, inputText: "{}" }];
  const { prompt } = writePrompt(requestFor("m", { messages: [blank, { ...blank, calls }] }), "anthropic");
  expect(prompt.slice(1)).toEqual([
    { role: "assistant", content: [{ type: "tool-call", toolCallId: "c", toolName: "a__b", input: {} }] },
  ]);
});

test("layers that are empty are not sent", () => {
  const systemOf = (stable: string, varying: string, wire: "anthropic" | "openai-compatible") =>
    writePrompt(requestFor("m", { stable, varying, messages: [] }), wire).prompt.map(({ content }) => content);
  expect(systemOf("", "", "anthropic")).toEqual([]);
  expect(systemOf("a", "", "anthropic")).toEqual(["a"]);
  expect(systemOf("", "b", "anthropic")).toEqual(["b"]);
  expect(systemOf("", "b", "openai-compatible")).toEqual(["b"]);
});
