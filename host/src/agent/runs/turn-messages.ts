/**
 * One turn of a conversation as a model gets it: the person's message, then answers and results in turns, as every provider
 * takes them. Each call has its result right after it, whatever became of it. Pure.
 */
import type { StoredCall, StoredMessage } from "../../kernel/conversation.ts";
import { isObject } from "../../kernel/is-object.ts";
import type { ModelMessage, ModelToolCall, ModelToolResult } from "../../kernel/model.ts";
import { contain } from "../prompt/contain.ts";
import { neutraliseTags } from "../prompt/neutralise-tags.ts";
import { oneLine } from "../prompt/one-line.ts";

const MAX_FILE_NAME = 256;
const NO_MESSAGE = "(The conversation begins with an answer.)";
const EMPTY_MESSAGE = "(An empty message.)";
const NO_ANSWER = "(No answer was written.)";
const INTERRUPTED = "(The run was interrupted here.)";
const ENDED = "(The run ended here.)";
const NOT_RUN = "Not run: the run ended before this call.";

/** The name of a tool as models take it. */
export type NameFor = (full: string) => string;

/** `lines`: a message of the person, if there is one, and all until the next. The last of the result is always an answer. */
export const turnMessages = (lines: readonly StoredMessage[], nameFor: NameFor): readonly ModelMessage[] => {
  const [first] = lines;
  const isAsked = first?.role === "user";
  const messages: ModelMessage[] = [{ role: "user", text: isAsked ? userText(first) : NO_MESSAGE }];
  for (const line of isAsked ? lines.slice(1) : lines) addAnswer(messages, line, nameFor);
  if (messages.at(-1)?.role !== "assistant") addText(messages, messages.length === 1 ? NO_ANSWER : ENDED);
  return messages;
};

const userText = ({ content, files = [] }: StoredMessage): string => {
  const text = content.trim() === "" && files.length === 0 ? EMPTY_MESSAGE : content;
  const named = files.map((file) => `- ${neutraliseTags(oneLine(file, MAX_FILE_NAME))}`);
  return named.length === 0 ? text : [text, ["Files:", ...named].join("\n")].filter(Boolean).join("\n\n");
};

const addAnswer = (messages: ModelMessage[], line: StoredMessage, nameFor: NameFor): void => {
  const { content, toolCalls = [], interrupted } = line;
  if (content.trim() !== "") addText(messages, content);
  if (toolCalls.length > 0) addCalls(messages, toolCalls, nameFor);
  if (interrupted) addText(messages, INTERRUPTED);
};

/** Answers that follow each other are one. */
const addText = (messages: ModelMessage[], text: string): void => {
  const last = messages.at(-1);
  if (last?.role === "assistant") messages[messages.length - 1] = { ...last, text: `${last.text}\n\n${text}` };
  else messages.push({ role: "assistant", text, calls: [] });
};

const addCalls = (messages: ModelMessage[], stored: readonly StoredCall[], nameFor: NameFor): void => {
  const calls: ModelToolCall[] = [];
  const results: ModelToolResult[] = [];
  for (const call of stored) {
    const { id } = call;
    const name = nameFor(call.name);
    const input = isObject(call.input) ? call.input : null;
    calls.push({ id, name, input, inputText: JSON.stringify(input ?? {}) });
    const text = contain("tool-result", resultText(call), { name: call.name });
    results.push({ callId: id, name, text, isError: !call.ok });
  }
  const last = messages.at(-1);
  if (last?.role === "assistant") messages[messages.length - 1] = { ...last, calls };
  else messages.push({ role: "assistant", text: "", calls });
  messages.push({ role: "tool", results });
};

const resultText = ({ output, dropped }: StoredCall): string =>
  dropped !== undefined && output.trim() === "" ? NOT_RUN : output;
