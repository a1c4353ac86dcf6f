/** What a model gets, for people to look at: by layer, with the source and size of each part. Pure. */
import type { PromptShown } from "../../kernel/agent.ts";
import type { ModelTool } from "../../kernel/model.ts";
import type { PlannedRun } from "./plan-run.ts";

export interface Shown {
  readonly plan: Pick<PlannedRun, "model" | "matched" | "tier" | "prompt">;
  readonly tools: readonly ModelTool[];
  /** The person's message with its files. */
  readonly text: string;
  readonly runtime: (moment: { readonly lastIteration: boolean; readonly notices: readonly string[] }) => string;
  readonly history: { readonly sent: number; readonly leftOut: number; readonly messages: readonly unknown[] };
}

const CHARS_A_TOKEN = 4;

export const showPrompt = ({ plan, tools, text, runtime, history }: Shown): PromptShown => {
  const { stable, varying, layers } = plan.prompt;
  const message = `${text}\n\n${runtime({ lastIteration: false, notices: [] })}`;
  const chars = [stable, varying, message, JSON.stringify(tools), JSON.stringify(history.messages)].reduce(
    (sum, each) => sum + each.length,
    0,
  );
  return {
    model: plan.model,
    skill: plan.matched,
    tier: plan.tier,
    layers: layers.map(({ layer, source, text: part }) => ({ layer, source, text: part, chars: part.length })),
    stable,
    varying,
    tools,
    message,
    history: { sent: history.sent, leftOut: history.leftOut },
    estimatedTokens: Math.ceil(chars / CHARS_A_TOKEN),
  };
};
