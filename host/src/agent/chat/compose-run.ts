/**
 * What the model is sent first in a run. What a run sends and what is shown of it beforehand come from here alike; only the
 * texts of files are not read for a look. Pure.
 */
import type { PromptShown } from "../../kernel/agent.ts";
import type { StoredMessage } from "../../kernel/conversation.ts";
import type { ModelMessage, Models, ModelTool } from "../../kernel/model.ts";
import { historyMessages } from "../runs/history-messages.ts";
import { unfinishedNotice } from "../runs/interrupted-message.ts";
import type { PlannedRun } from "./plan-run.ts";
import { showPrompt } from "./show-prompt.ts";

export interface ComposeOrder {
  readonly plan: PlannedRun;
  readonly tools: readonly ModelTool[];
  readonly models: Pick<Models, "windowOf">;
  /** Those before the message that is to be answered. */
  readonly earlier: readonly StoredMessage[];
  /** What of the conversation could not be read; null: nothing. */
  readonly defect: string | null;
  /** The message with its files. */
  readonly text: string;
}

export interface ComposedRun {
  readonly messages: readonly ModelMessage[];
  readonly runtime: (moment: { readonly lastIteration: boolean; readonly notices: readonly string[] }) => string;
  readonly shown: PromptShown;
}

export const composeRun = ({ plan, tools, models, earlier, defect, text }: ComposeOrder): ComposedRun => {
  const history = historyMessages(earlier, {
    windowTokens: models.windowOf(plan.model),
    nameFor: (full) => plan.surface.nameFor(full),
  });
  const notices = [
    ...(history.leftOut === 0 ? [] : [`${history.leftOut} earlier messages were left out because they are too long.`]),
    ...(defect === null ? [] : [defect]),
  ];
  const interrupted = unfinishedNotice(earlier);
  const runtime: ComposedRun["runtime"] = (moment) =>
    plan.runtime({ ...moment, notices: [...notices, ...moment.notices], interrupted });
  return {
    messages: [...history.messages, { role: "user", text }],
    runtime,
    shown: showPrompt({ plan, tools, text, runtime, history }),
  };
};
