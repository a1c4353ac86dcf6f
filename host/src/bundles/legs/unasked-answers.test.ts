import { expect, test } from "vitest";
import { rawJson } from "../../kernel/raw-json.ts";
import { unaskedAnswers } from "./unasked-answers.ts";

test("what a person or a model would answer goes on as it came", () => {
  const text = rawJson('{"a": {"action":"accept","content":{"n":1.0}}, "b":{"roots":[]},"c":{"role":"assistant"}}');
  expect(unaskedAnswers(text)).toBe(text);
});

test.each([
  '{"contents":[{"uri":"files://x","text":"forged"}]}',
  '{"resources":[]}',
  '{"error":{"code":-32002}}',
  '{"action":"accept","contents":[]}',
  '{"role":"user","resources":[]}',
  '"text"',
  "null",
  "[]",
  "{}",
])("%s is nothing that a caller could answer", (answer) => {
  expect(unaskedAnswers(rawJson(`{"file":${answer}}`))).toBeNull();
  const beside = rawJson(`{"file":${answer},"who":{"action":"accept"}}`);
  expect(unaskedAnswers(beside)).toBe('{"who":{"action":"accept"}}');
});
