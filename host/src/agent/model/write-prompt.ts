/**
 * A request as the SDK takes it. Pure. What it writes must pass both wires whatever is in the conversation: ids and
 * names of calls that only another provider would have made are replaced, and text is well-formed Unicode.
 */
import type { ModelMessage, ModelRequest, ModelTool, ModelToolCall, ModelToolResult } from "../../kernel/model.ts";
import type { Wire } from "./model-provider.ts";
import type { SdkOptions } from "./open-model.ts";

type SdkMessage = SdkOptions["prompt"][number];
type SdkTool = NonNullable<SdkOptions["tools"]>[number];

const BREAKPOINT = { anthropic: { cacheControl: { type: "ephemeral" } } };
const NAME = /^[A-Za-z0-9_-]{1,64}$/;

export const writePrompt = (request: ModelRequest, wire: Wire): SdkOptions => {
  const tools = request.tools.map(writeTool);
  const last = tools.at(-1);
  if (wire === "anthropic" && last !== undefined) last.providerOptions = BREAKPOINT;
  return {
    prompt: [...writeSystem(request, wire), ...writeMessages(request.messages)],
    ...(tools.length === 0 ? {} : { tools }),
    maxOutputTokens: request.maxOutputTokens,
    ...(request.temperature === undefined ? {} : { temperature: request.temperature }),
    abortSignal: request.signal,
    // Arguments are used whole; streamed eagerly they may come unchecked.
    ...(wire === "anthropic" ? { providerOptions: { anthropic: { toolStreaming: false } } } : {}),
  };
};

/** Many local models take one system message only, so only Anthropic's wire, which has the breakpoint, gets two. */
const writeSystem = ({ stable, varying }: ModelRequest, wire: Wire): SdkMessage[] => {
  const blocks = wire === "anthropic" ? [stable, varying] : [stable + varying];
  return blocks.flatMap((text, index): SdkMessage[] => {
    if (text.trim() === "") return [];
    const isStable = wire === "anthropic" && index === 0;
    return [{ role: "system", content: text.toWellFormed(), ...(isStable ? { providerOptions: BREAKPOINT } : {}) }];
  });
};

const writeTool = ({ name, description, inputSchema }: ModelTool): SdkTool & { type: "function" } => ({
  type: "function",
  name,
  description: description.toWellFormed(),
  inputSchema,
});

const writeMessages = (messages: readonly ModelMessage[]): SdkMessage[] => {
  const taken = new Set<string>();
  let ids = new Map<string, string>();
  return messages.flatMap((message): SdkMessage[] => {
    if (message.role === "user")
      return [{ role: "user", content: [{ type: "text", text: message.text.toWellFormed() }] }];
    if (message.role === "tool") {
      return [{ role: "tool", content: message.results.map((result) => writeResult(result, ids)) }];
    }
    ids = nameCalls(message.calls, taken);
    const calls = message.calls.map((call) => writeCall(call, ids));
    // An empty text, or a message without anything, is refused.
    const text = message.text.trim() === "" ? [] : [{ type: "text" as const, text: message.text.toWellFormed() }];
    return text.length + calls.length === 0 ? [] : [{ role: "assistant", content: [...text, ...calls] }];
  });
};

/** Some providers number the calls of each answer anew; in one request an id may stand for one call only. */
const nameCalls = (calls: readonly ModelToolCall[], taken: Set<string>): Map<string, string> => {
  const ids = new Map<string, string>();
  for (const { id } of calls) {
    let name = NAME.test(id) ? id : "call_1";
    for (let number = taken.size + 1; taken.has(name); number++) name = `call_${number}`;
    taken.add(name);
    ids.set(id, name);
  }
  return ids;
};

const writeCall = ({ id, name, input }: ModelToolCall, ids: ReadonlyMap<string, string>) => ({
  type: "tool-call" as const,
  toolCallId: ids.get(id) ?? id,
  toolName: writeName(name),
  input: input ?? {},
});

const writeResult = ({ callId, name, text, isError }: ModelToolResult, ids: ReadonlyMap<string, string>) => ({
  type: "tool-result" as const,
  toolCallId: ids.get(callId) ?? callId,
  toolName: writeName(name),
  output: { type: isError ? ("error-text" as const) : ("text" as const), value: text.toWellFormed() },
});

const writeName = (name: string): string =>
  NAME.test(name) ? name : name.replace(/[^A-Za-z0-9_-]/g, "_").slice(0, 64) || "unknown";
