/** Runs and results as the tests of this folder make them. */
import type { ChatResult, NumberedEvent, ToldEvent } from "../../kernel/agent.ts";
import { rawJson } from "../../kernel/raw-json.ts";
import type { LiveRun } from "./create-runs.ts";
import type { RunPlace } from "./live-run.ts";

export const ANN = "person:ann";

export const placeOf = (id: string, conversationId = `conv_${id}`): RunPlace => ({
  id,
  conversationId,
  workspace: "ws_default",
  owner: ANN,
});

export const delta = (runId: string, text: string): ToldEvent => ({ type: "text.delta", runId, text });

export const toolDone = (runId: string, resultJson: string): ToldEvent => ({
  type: "tool.done",
  runId,
  id: "tc_1",
  name: "todo__list",
  ok: true,
  ms: 1,
  outcome: "success",
  resultJson: rawJson(resultJson),
  evidenceId: null,
});

export const resultOf = (runId: string, response = ""): ChatResult => ({
  response,
  conversationId: `conv_${runId}`,
  runId,
  skillName: null,
  toolCalls: [],
  stopReason: "complete",
  finishReason: "stop",
  inputTokens: 1,
  outputTokens: 1,
  usage: {
    inputTokens: 1,
    outputTokens: 1,
    cacheCreationTokens: 0,
    cacheReadTokens: 0,
    costUsd: null,
    model: "stub",
    llmMs: 1,
    iterations: 1,
    estimated: false,
  },
});

/** Reads until the stream ends, or so many. */
export const readEvents = async (run: LiveRun, after = 0, most = Infinity): Promise<readonly NumberedEvent[]> => {
  const read: NumberedEvent[] = [];
  if (most === 0) return read;
  for await (const event of run.events(after, new AbortController().signal)) {
    read.push(event);
    if (read.length >= most) break;
  }
  return read;
};
