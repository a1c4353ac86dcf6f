/** What the loop does, as events of its run. */
import type { ToldEvent } from "../../kernel/agent.ts";
import type { LoopListener } from "../loop/loop-options.ts";
import { oneLine } from "../prompt/one-line.ts";

export interface Told {
  readonly runId: string;
  /** Of a child. */
  readonly parentRunId?: string;
  readonly tell: (event: ToldEvent) => void;
  /** Where a tool has something to show; null: it has not. */
  readonly resourceUriOf: (tool: string) => string | null;
}

const MOST_SUMMARY = 500;

export const listenerOf = ({ runId, parentRunId, tell, resourceUriOf }: Told): LoopListener => {
  const of = { runId, ...(parentRunId === undefined ? {} : { parentRunId }) };
  return {
    text: (text) => tell({ ...of, type: "text.delta", text }),
    toolStart: ({ id, name }) => {
      const resourceUri = resourceUriOf(name);
      tell({ ...of, type: "tool.start", id, name, ...(resourceUri === null ? {} : { resourceUri }) });
    },
    toolProgress: (id, told) => tell({ ...of, type: "tool.progress", id, ...told }),
    approvalNeeded: ({ id, name, input }, approval) =>
      tell({
        ...of,
        type: "approval.needed",
        id,
        name,
        approvalId: approval.id,
        digest: approval.digest,
        summary: oneLine(`${name} ${JSON.stringify(input)}`, MOST_SUMMARY),
        expiresAt: approval.expires_at,
      }),
    toolDone: ({ id, name, ok, ms, outcome }, ending) =>
      tell({
        ...of,
        type: "tool.done",
        id,
        name,
        ok,
        ms,
        outcome,
        ...(ending.code === null ? {} : { code: ending.code }),
        resultJson: ending.resultJson,
        ...(ending.resourceUri === undefined ? {} : { resourceUri: ending.resourceUri }),
        evidenceId: ending.evidenceId,
      }),
    modelDone: ({ iteration, finish, usage }) =>
      tell({
        ...of,
        type: "llm.done",
        iteration,
        inputTokens: usage.inputTokens,
        outputTokens: usage.outputTokens,
        cacheReadTokens: usage.cacheReadTokens,
        cacheCreationTokens: usage.cacheCreationTokens,
        finishReason: finish,
      }),
  };
};
