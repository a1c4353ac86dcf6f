/** For tests: a model without a wire that answers what it was told to, event by event. */
import type { ModelError, ModelEvent, ModelRequest, Models, ModelToolCall, ModelUsage } from "../../kernel/model.ts";

export interface ScriptedTurn {
  /** Each piece is an event of its own; a function is waited for in between. */
  readonly text?: string | readonly (string | (() => unknown))[];
  readonly calls?: readonly (Pick<ModelToolCall, "name"> & Partial<ModelToolCall>)[];
  readonly finish?: Extract<ModelEvent, { type: "done" }>["finish"];
  readonly usage?: Partial<ModelUsage>;
  /** In place of the end. */
  readonly fails?: ModelError | Error;
}

export interface ScriptedModels extends Pick<Models, "call" | "costOf"> {
  readonly requests: ModelRequest[];
}

const USAGE: ModelUsage = {
  inputTokens: 10,
  outputTokens: 5,
  cacheReadTokens: 0,
  cacheCreationTokens: 0,
  estimated: false,
};

/** A function is asked for every turn. */
export const scriptModels = (
  script: readonly ScriptedTurn[] | ((index: number, request: ModelRequest) => ScriptedTurn),
): ScriptedModels => {
  const requests: ModelRequest[] = [];
  let calls = 0;
  async function* call(request: ModelRequest): AsyncGenerator<ModelEvent, void, undefined> {
    const index = requests.push(request) - 1;
    const turn = typeof script === "function" ? script(index, request) : script[index];
    if (turn === undefined) throw new Error(`the script has no turn ${index + 1}`);
    await Promise.resolve();
    const { text = [], calls: asked = [], fails } = turn;
    for (const piece of typeof text === "string" ? [text] : text) {
      if (typeof piece === "string") yield { type: "text", text: piece };
      else await piece();
    }
    for (const one of asked) {
      const { input = {}, id = `call_${++calls}`, name } = one;
      yield { type: "call", call: { id, name, input, inputText: one.inputText ?? JSON.stringify(input) } };
    }
    if (fails !== undefined) throw fails;
    const finish = turn.finish ?? (asked.length > 0 ? "tool-calls" : "stop");
    yield { type: "done", finish, usage: { ...USAGE, ...turn.usage }, model: request.model };
  }
  return { requests, call, costOf: (_, usage) => usage.inputTokens / 1000 };
};
