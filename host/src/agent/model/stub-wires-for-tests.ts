/** For tests: one answer, as chunks of Anthropic's wire and of the OpenAI-compatible one. A chunk is one SSE event. */
import type { StubCall, StubTurn, StubUsage } from "./stub-turn-for-tests.ts";

type Json = Readonly<Record<string, unknown>>;
type Call = Required<Pick<StubCall, "id" | "name" | "inputText">>;

export interface StubWire {
  /** Before anything else; `withUsage`: the client asked for a report. */
  open(model: string, turn: StubTurn): string;
  reasoning(text: string): string;
  text(text: string): string;
  calls(calls: readonly Call[]): string;
  error(type: string, message: string): string;
  close(finish: string, usage: StubUsage | null): string;
}

/** The body of a refusal by HTTP status. */
export const errorBody = (wire: "anthropic" | "openai", type: string, message: string): Json =>
  wire === "anthropic" ? { type: "error", error: { type, message } } : { error: { message, type, code: type } };

/** Cut in two, because clients see arguments in pieces. */
const halves = (text: string): string[] => {
  const middle = Math.ceil(text.length / 2);
  return [text.slice(0, middle), text.slice(middle)].filter((half) => half !== "");
};

const ANTHROPIC_FINISH: Readonly<Record<string, string>> = {
  stop: "end_turn",
  "tool-calls": "tool_use",
  length: "max_tokens",
  "content-filter": "refusal",
};

export const writeAnthropic = (): StubWire => {
  let index = -1;
  let open: "text" | "thinking" | null = null;
  const event = (data: Json): string => `event: ${String(data["type"])}\ndata: ${JSON.stringify(data)}\n\n`;
  const delta = (part: Json): string => event({ type: "content_block_delta", index, delta: part });
  const begin = (block: Json): string => event({ type: "content_block_start", index: ++index, content_block: block });
  const end = (): string => event({ type: "content_block_stop", index });
  const leave = (): string => {
    const ended = open === null ? "" : end();
    open = null;
    return ended;
  };
  const enter = (type: "text" | "thinking"): string => {
    if (open === type) return "";
    const ended = leave();
    open = type;
    return ended + begin(type === "text" ? { type, text: "" } : { type, thinking: "", signature: "" });
  };
  return {
    open: (model, { usage }) => {
      const input = usage?.input ?? (usage === null ? 0 : 10);
      const counts = {
        input_tokens: input - (usage?.cacheRead ?? 0) - (usage?.cacheWrite ?? 0),
        cache_read_input_tokens: usage?.cacheRead ?? 0,
        cache_creation_input_tokens: usage?.cacheWrite ?? 0,
        output_tokens: 1,
      };
      const message = {
        id: "msg_1",
        type: "message",
        role: "assistant",
        content: [],
        model,
        stop_reason: null,
        usage: counts,
      };
      return event({ type: "message_start", message }) + event({ type: "ping" });
    },
    reasoning: (text) => enter("thinking") + delta({ type: "thinking_delta", thinking: text }),
    text: (text) => enter("text") + delta({ type: "text_delta", text }),
    calls: (calls) =>
      leave() +
      calls
        .map(({ id, name, inputText }) => {
          const parts = halves(inputText).map((half) =>
            delta.bind(null, { type: "input_json_delta", partial_json: half }),
          );
          return begin({ type: "tool_use", id, name, input: {} }) + parts.map((part) => part()).join("") + end();
        })
        .join(""),
    error: (type, message) => event({ type: "error", error: { type, message } }),
    close: (finish, usage) =>
      leave() +
      event({
        type: "message_delta",
        delta: { stop_reason: ANTHROPIC_FINISH[finish] ?? finish, stop_sequence: null },
        usage: { output_tokens: usage?.output ?? 0 },
      }) +
      event({ type: "message_stop" }),
  };
};

const OPENAI_FINISH: Readonly<Record<string, string>> = {
  "tool-calls": "tool_calls",
  "content-filter": "content_filter",
};

export const writeOpenAI = (): StubWire => {
  let head: Json = {};
  const chunk = (data: Json): string => `data: ${JSON.stringify({ ...head, ...data })}\n\n`;
  const delta = (part: Json): string => chunk({ choices: [{ index: 0, delta: part, finish_reason: null }] });
  const piece = (index: number, call: Json): string => delta({ tool_calls: [{ index, ...call }] });
  return {
    open: (model) => {
      head = { id: "chatcmpl-1", object: "chat.completion.chunk", created: 1, model };
      return delta({ role: "assistant", content: "" });
    },
    reasoning: (text) => delta({ reasoning_content: text }),
    text: (text) => delta({ content: text }),
    // Each call's name first and then the arguments of all, so that a client has to go by the index.
    calls: (calls) =>
      calls
        .map(({ id, name }, index) => piece(index, { id, type: "function", function: { name, arguments: "" } }))
        .concat(
          calls.flatMap(({ inputText }, index) =>
            halves(inputText).map((half) => piece(index, { function: { arguments: half } })),
          ),
        )
        .join(""),
    error: (type, message) => `data: ${JSON.stringify({ error: { message, type, code: type } })}\n\n`,
    close: (finish, usage) => {
      const ended = chunk({ choices: [{ index: 0, delta: {}, finish_reason: OPENAI_FINISH[finish] ?? finish }] });
      const counts = usage === null ? "" : chunk({ choices: [], usage: openAIUsage(usage) });
      return `${ended}${counts}data: [DONE]\n\n`;
    },
  };
};

const openAIUsage = ({ input, output, cacheRead = 0 }: StubUsage): Json => ({
  prompt_tokens: input,
  completion_tokens: output,
  total_tokens: input + output,
  prompt_tokens_details: { cached_tokens: cacheRead },
});
