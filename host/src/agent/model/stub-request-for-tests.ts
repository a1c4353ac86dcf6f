/** For tests: what the stub remembers of a request, read alike from both wires. */
import type { StubRequest } from "./stub-turn-for-tests.ts";

interface Block {
  readonly type?: string;
  readonly text?: string;
  readonly content?: unknown;
  readonly tool_use_id?: string;
}
interface Message {
  readonly role: string;
  readonly content: unknown;
  readonly tool_call_id?: string;
}
interface Body {
  readonly system?: unknown;
  readonly messages?: readonly Message[];
  readonly tools?: readonly { readonly name?: string; readonly function?: { readonly name: string } }[];
}

export const keepRequest = (
  came: Pick<StubRequest, "wire" | "path" | "headers" | "body">,
): { -readonly [K in keyof StubRequest]: StubRequest[K] } => {
  const { system, messages = [], tools = [] } = came.body as Body;
  const told = messages.filter(({ role }) => role === "system").map(({ content }) => textOf(content));
  return {
    ...came,
    system: [textOf(system), ...told].join(""),
    tools: tools.map((tool) => tool.name ?? tool.function?.name ?? ""),
    last: textOf(messages.at(-1)?.content),
    results: messages.slice(messages.findLastIndex(({ role }) => role === "assistant") + 1).flatMap(resultsIn),
    left: false,
  };
};

const resultsIn = ({ content, tool_call_id: id }: Message): { id: string; text: string }[] => {
  if (id !== undefined) return [{ id, text: textOf(content) }];
  const blocks = Array.isArray(content) ? (content as Block[]) : [];
  return blocks.flatMap((block) =>
    block.tool_use_id === undefined ? [] : [{ id: block.tool_use_id, text: textOf(block.content) }],
  );
};

/** Texts of blocks, those inside tool results included. */
const textOf = (content: unknown): string => {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return "";
  return (content as Block[]).map((block) => block.text ?? textOf(block.content)).join("");
};
