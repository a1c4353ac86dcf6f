/** A run from its first event to its last. Nobody waits for it but those who follow the run. */
import type { ChatResult } from "../../kernel/agent.ts";
import type { ParentRun } from "../../kernel/call-run.ts";
import type { Conversation } from "../../kernel/conversation.ts";
import { Refusal } from "../../kernel/refusal.ts";
import { RunBudget } from "../loop/run-budget.ts";
import { runLoop } from "../loop/run-loop.ts";
import type { LiveRun } from "../runs/create-runs.ts";
import { shortenMessages } from "../runs/shorten-messages.ts";
import type { AgentWorkspace, RunRecord } from "./agent-ports.ts";
import { attachFiles } from "./attach-files.ts";
import { chatResult } from "./chat-result.ts";
import { composeRun } from "./compose-run.ts";
import { defectIsTold, defectToTell } from "./defect-to-tell.ts";
import { callsOf, toolsOf } from "./equip-run.ts";
import { listenerOf } from "./tell-run.ts";
import { joinFound } from "./join-found.ts";
import { keepIterations } from "./keep-iterations.ts";
import type { PlannedRun } from "./plan-run.ts";
import { recordedRun } from "./recorded-run.ts";
import type { ChatParts, ChatStart } from "./chat-parts.ts";

/** More than this is never done for one message, whoever asks. */
const MOST_ITERATIONS = 25;

export interface ChatRun {
  readonly parts: ChatParts;
  readonly start: ChatStart;
  readonly here: AgentWorkspace;
  readonly run: LiveRun;
  readonly record: RunRecord;
  readonly plan: PlannedRun;
  readonly conversation: Conversation;
}

export const runChat = async (chat: ChatRun): Promise<void> => {
  const { ports } = chat.parts;
  const { run, record, plan } = chat;
  const recorded = { ports, record, by: plan.acting.principal, correlationId: record.runId };
  try {
    run.end(await recordedRun({ ...recorded, cancelledBy: () => run.cancelledBy }, () => go(chat)));
  } catch (error) {
    if (!(error instanceof Refusal)) ports.report(error);
    run.fail(error);
  } finally {
    ports.conversationChanged(chat.start.by.principal.workspace, chat.conversation);
  }
};

const go = async (chat: ChatRun): Promise<ChatResult> => {
  const { parts, start, here, run, record, plan, conversation } = chat;
  const { ports } = parts;
  const { order } = start;
  const { settings } = here;
  const budget = new RunBudget({
    maxIterations: Math.min(order.maxIterations ?? settings.maxIterations, MOST_ITERATIONS),
    maxInputTokens: settings.maxInputTokens,
  });
  const models = ports.models();
  const parent = parentRun(chat, budget);
  const calls = callsOf({ plan, run: parent, correlationId: record.runId, causationId: null, waitMs: start.waitMs });
  const tools = toolsOf({ ports, here, calls, plan });
  const listed = tools.list();
  run.tell({
    type: "chat.start",
    runId: run.id,
    conversationId: conversation.head.id,
    model: plan.model,
    skill: plan.matched,
    directTools: listed.length,
  });
  const [earlier, text] = [
    conversation.messages.slice(0, -1),
    await attachFiles(ports, { calls, message: order.message, refs: order.fileRefs, signal: run.signal }),
  ];
  const defect = defectToTell(conversation);
  defectIsTold(conversation);
  const { messages, runtime, shown } = composeRun({ plan, tools: listed, models, earlier, defect, text });
  chat.parts.prompts.set(run, shown);
  const end = await runLoop({
    models,
    model: plan.model,
    prompt: plan.prompt,
    messages,
    runtime,
    tools,
    budget,
    maxOutputTokens: settings.maxOutputTokens,
    reader: "person",
    signal: run.signal,
    on: listenerOf({
      runId: run.id,
      tell: (event) => run.tell(event),
      resourceUriOf: (tool) => plan.surface.resourceUriOf(tool),
    }),
    keep: keepIterations({ ports, conversation, runId: run.id, plan, budget }),
    shorten: shortenMessages,
    report: ports.report,
  });
  const skillName = plan.matched?.name ?? null;
  return chatResult({ conversationId: conversation.head.id, runId: run.id, skillName }, end, budget);
};

const parentRun = ({ run, record, plan }: ChatRun, budget: RunBudget): ParentRun => ({
  runId: run.id,
  conversationId: record.conversationId,
  depth: 0,
  model: plan.model,
  fence: plan.fence,
  remaining: () => budget.remaining(),
  tokensLeft: () => budget.tokensLeft(),
  spend: (child) => budget.spend(child),
  tell: (event) => run.tell(event),
  nameFor: (name) => plan.surface.nameFor(name),
  join: (names) => joinFound(plan, names),
});
