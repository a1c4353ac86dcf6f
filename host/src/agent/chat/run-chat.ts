/** A run from its first event to its last. Nobody waits for it but those who follow the run. */
import type { ChatResult, RunEvent } from "../../kernel/agent.ts";
import type { ParentRun } from "../../kernel/call-run.ts";
import type { Conversation } from "../../kernel/conversation.ts";
import type { ModelMessage } from "../../kernel/model.ts";
import { Refusal } from "../../kernel/refusal.ts";
import type { Iteration, LoopEnd } from "../loop/loop-options.ts";
import { RunBudget } from "../loop/run-budget.ts";
import { runLoop } from "../loop/run-loop.ts";
import type { LiveRun } from "../runs/create-runs.ts";
import { historyMessages } from "../runs/history-messages.ts";
import { unfinishedNotice } from "../runs/interrupted-message.ts";
import { shortenMessages } from "../runs/shorten-messages.ts";
import type { AgentWorkspace, RunEnded, RunRecord } from "./agent-ports.ts";
import { attachFiles } from "./attach-files.ts";
import { callsOf, toolsOf } from "./equip-run.ts";
import { listenerOf } from "./tell-run.ts";
import { joinFound } from "./join-found.ts";
import type { PlannedRun } from "./plan-run.ts";
import { showPrompt } from "./show-prompt.ts";
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
  const correlationId = record.runId;
  const ended = (how: RunEnded): Promise<void> =>
    ports.recordEnd(record, plan.acting.principal, how).catch((error: unknown) => ports.report(error));
  try {
    const result = await go(chat);
    const { stopReason, inputTokens, outputTokens } = result;
    await ended({ correlationId, stopReason, inputTokens, outputTokens });
    run.end(result);
  } catch (error) {
    if (!(error instanceof Refusal)) ports.report(error);
    await ended({ correlationId, error: error instanceof Refusal ? error.kind : "bug" });
    run.fail(error);
  } finally {
    ports.conversationChanged(chat.start.by.principal.workspace, chat.conversation.head.id);
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
  const shown = tools.list();
  run.tell({
    type: "chat.start",
    runId: run.id,
    conversationId: conversation.head.id,
    model: plan.model,
    skill: plan.matched,
    directTools: shown.length,
  });
  const [earlier, text] = [
    conversation.messages.slice(0, -1),
    await attachFiles(ports, { calls, message: order.message, refs: order.fileRefs, signal: run.signal }),
  ];
  const history = historyMessages(earlier, {
    windowTokens: models.windowOf(plan.model),
    nameFor: (full) => plan.surface.now([]).names.nameFor(full),
  });
  const notices = [
    ...(history.leftOut === 0 ? [] : [`${history.leftOut} earlier messages were left out because they are too long.`]),
    ...(conversation.defect === null ? [] : [conversation.defect]),
  ];
  const interrupted = unfinishedNotice(earlier);
  const messages: readonly ModelMessage[] = [...history.messages, { role: "user", text }];
  const runtime = (moment: { lastIteration: boolean; notices: readonly string[] }): string =>
    plan.runtime({ ...moment, notices: [...notices, ...moment.notices], interrupted });
  chat.parts.prompts.set(run, showPrompt({ plan, tools: shown, text, runtime, history }));
  const end = await runLoop({
    models,
    model: plan.model,
    prompt: plan.prompt,
    messages,
    runtime,
    tools,
    budget,
    maxOutputTokens: settings.maxOutputTokens,
    signal: run.signal,
    on: listenerOf({ runId: run.id, tell: (event) => run.tell(event) }),
    keep: (iteration) => keep(chat, iteration),
    shorten: shortenMessages,
  });
  return resultOf(chat, end, budget);
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
  tell: (event) => run.tell(event as RunEvent),
  join: (names) => joinFound(plan, names),
});

const keep = ({ parts: { ports }, conversation, run, plan }: ChatRun, iteration: Iteration): Promise<void> =>
  conversation.append(
    {
      role: "assistant",
      content: iteration.text,
      ts: new Date(ports.now()).toISOString(),
      ...(iteration.calls.length === 0 ? {} : { toolCalls: iteration.calls }),
      model: plan.model,
      inputTokens: iteration.usage.inputTokens,
      outputTokens: iteration.usage.outputTokens,
      runId: run.id,
      ...(plan.matched === null ? {} : { skill: plan.matched.name }),
      ...(iteration.stopReason === null ? {} : { stopReason: iteration.stopReason }),
      ...(iteration.interrupted ? { interrupted: true as const } : {}),
    },
    iteration.costUsd,
  );

const resultOf = ({ conversation, run, plan }: ChatRun, end: LoopEnd, budget: RunBudget): ChatResult => {
  const all = [end.usage, ...budget.children];
  const sum = (of: "inputTokens" | "outputTokens" | "cacheReadTokens" | "cacheCreationTokens"): number =>
    all.reduce((total, each) => total + each[of], 0);
  const costs = [end.costUsd, ...budget.children.map(({ costUsd }) => costUsd)];
  const [inputTokens, outputTokens] = [sum("inputTokens"), sum("outputTokens")];
  return {
    response: end.text,
    conversationId: conversation.head.id,
    runId: run.id,
    skillName: plan.matched?.name ?? null,
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
      costUsd: addCosts(costs),
      model: end.model,
      llmMs: end.llmMs,
      iterations: end.iterations,
      estimated: end.usage.estimated,
    },
  };
};

/** Null where one of them is not known. */
const addCosts = (costs: readonly (number | null)[]): number | null => {
  let total = 0;
  for (const cost of costs) {
    if (cost === null) return null;
    total += cost;
  }
  return total;
};
