/** What a message came to, its sub-agents counted. Pure. */
import type { ChatResult } from "../../kernel/agent.ts";
import type { LoopEnd } from "../loop/loop-options.ts";
import type { RunBudget } from "../loop/run-budget.ts";
import { addCosts } from "./add-costs.ts";

type Of = Pick<ChatResult, "conversationId" | "runId" | "skillName">;

export const chatResult = (of: Of, end: LoopEnd, { children }: Pick<RunBudget, "children">): ChatResult => {
  const all = [end.usage, ...children];
  const sum = (what: "inputTokens" | "outputTokens" | "cacheReadTokens" | "cacheCreationTokens"): number =>
    all.reduce((total, each) => total + each[what], 0);
  const [inputTokens, outputTokens] = [sum("inputTokens"), sum("outputTokens")];
  return {
    response: end.text,
    ...of,
    toolCalls: end.calls,
    stopReason: end.stopReason,
    finishReason: end.finish,
    inputTokens,
    outputTokens,
    usage: {
      inputTokens,
      outputTokens,
      cacheCreationTokens: sum("cacheCreationTokens"),
      cacheReadTokens: sum("cacheReadTokens"),
      costUsd: addCosts([end, ...children]),
      model: end.model,
      llmMs: end.llmMs,
      iterations: end.iterations,
      estimated: all.some(({ estimated }) => estimated),
    },
  };
};
