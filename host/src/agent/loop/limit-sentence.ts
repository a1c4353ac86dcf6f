/** What an answer says that a limit left empty: which limit it was, and how to go on, for whoever reads it. Pure. */
import type { StopReason } from "../../kernel/agent.ts";
import type { LoopOptions } from "./loop-options.ts";
import type { RunBudget } from "./run-budget.ts";

type Reader = LoopOptions["reader"];

const OF: Readonly<Record<Reader, string>> = { person: "for one message", agent: "for this sub-agent" };
const GO_ON: Readonly<Record<Reader, string>> = {
  person: "Send another message to go on from here.",
  agent: "What it did until then is done. Delegate a smaller task, or do the rest without it.",
};

export const limitSentence = (
  stopped: Exclude<StopReason, "complete">,
  reader: Reader,
  { maxIterations, maxInputTokens }: Pick<RunBudget, "maxIterations" | "maxInputTokens">,
): string => {
  const [what, setting] =
    stopped === "max_iterations"
      ? ["model calls", `maxIterations: ${maxIterations}`]
      : ["input tokens", `maxInputTokens: ${maxInputTokens}`];
  return `The limit of ${what} ${OF[reader]} (${setting}) was reached before there was an answer. ${GO_ON[reader]}`;
};
