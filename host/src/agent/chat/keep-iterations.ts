/**
 * The answers of a run as lines of its conversation. What sub-agents used counts with the answer that asked for them, so that
 * the totals of the conversation are what it cost.
 */
import type { Conversation, StoredMessage } from "../../kernel/conversation.ts";
import type { ChildSpending } from "../../kernel/call-run.ts";
import type { Iteration, LoopOptions } from "../loop/loop-options.ts";
import type { RunBudget } from "../loop/run-budget.ts";
import { addCosts } from "./add-costs.ts";
import type { AgentPorts } from "./agent-ports.ts";
import type { PlannedRun } from "./plan-run.ts";

export interface KeepOptions {
  readonly ports: Pick<AgentPorts, "now">;
  readonly conversation: Pick<Conversation, "append">;
  readonly runId: string;
  readonly plan: Pick<PlannedRun, "model" | "matched">;
  readonly budget: Pick<RunBudget, "children">;
}

export const keepIterations = (options: KeepOptions): LoopOptions["keep"] => {
  const { ports, conversation, runId, plan } = options;
  const { children } = options.budget;
  let counted = 0;
  return async (iteration) => {
    const since = children.slice(counted);
    counted += since.length;
    const line: StoredMessage = {
      role: "assistant",
      content: iteration.text,
      ts: new Date(ports.now()).toISOString(),
      ...(iteration.calls.length === 0 ? {} : { toolCalls: iteration.calls }),
      model: plan.model,
      ...tokensOf(iteration, since),
      runId,
      ...(plan.matched === null ? {} : { skill: plan.matched.name }),
      ...(iteration.stopReason === null ? {} : { stopReason: iteration.stopReason }),
      ...(iteration.interrupted ? { interrupted: true as const } : {}),
    };
    await conversation.append(line, addCosts([iteration, ...since]));
  };
};

const tokensOf = (
  { usage }: Iteration,
  children: readonly ChildSpending[],
): Pick<StoredMessage, "inputTokens" | "outputTokens"> => ({
  inputTokens: children.reduce((sum, { inputTokens }) => sum + inputTokens, usage.inputTokens),
  outputTokens: children.reduce((sum, { outputTokens }) => sum + outputTokens, usage.outputTokens),
});
