/** One message to the agent, from the request to the run that answers it. What is refused here leaves nothing behind. */
import type { AgentRun, ChatOrder } from "../../kernel/agent.ts";
import type { Conversation, StoredMessage } from "../../kernel/conversation.ts";
import { makeId } from "../../kernel/make-id.ts";
import type { Models } from "../../kernel/model.ts";
import { Refusal } from "../../kernel/refusal.ts";
import { writerName } from "../../kernel/whose-conversation.ts";
import type { LiveRun } from "../runs/create-runs.ts";
import type { AgentWorkspace, RunRecord } from "./agent-ports.ts";
import { checkNumbers } from "./check-numbers.ts";
import { checkChanged } from "./conversation-rights.ts";
import { planRun, type PlannedRun } from "./plan-run.ts";
import { runChat } from "./run-chat.ts";
import type { ChatParts, ChatStart } from "./chat-parts.ts";

export const startChat = async (parts: ChatParts, start: ChatStart): Promise<AgentRun> => {
  const { ports, runs } = parts;
  const { order, by } = start;
  checkNumbers(start);
  const { workspace } = by.principal;
  const owner = writerName(by.principal);
  const here = await ports.workspace(workspace);
  const existing = order.conversationId === null ? null : await openConversation(parts, here, start);
  runs.checkRoom({ workspace, owner });
  if (existing !== null) runs.checkFree({ workspace, owner, conversationId: existing.head.id });
  const model = checkedModel(ports.models(), order, existing?.messages ?? []);
  const plan = await planRun(ports, { order, by, here, model, earlier: existing?.messages ?? [] });
  const conversation = existing ?? (await here.conversations.open((await here.conversations.create()).id));
  const runId = makeId("run_");
  const conversationId = conversation.head.id;
  const record: RunRecord = {
    runId,
    conversationId,
    model,
    skill: plan.matched,
    metadata: order.metadata,
    parent: null,
  };
  try {
    const run = runs.begin({ id: runId, conversationId, workspace, owner });
    await begin({ parts, start, run, record, plan, conversation });
    void runChat({ parts, start, here, run, record, plan, conversation });
    return run;
  } catch (error) {
    // A message that was not taken leaves no conversation behind.
    if (existing === null) await here.conversations.delete(conversationId).catch(ports.report);
    throw error;
  }
};

interface Begin {
  readonly parts: ChatParts;
  readonly start: ChatStart;
  readonly run: LiveRun;
  readonly record: RunRecord;
  readonly plan: PlannedRun;
  readonly conversation: Conversation;
}

/** Recorded before anything happens, then durable in the conversation. */
const begin = async ({ parts: { ports }, start, run, record, plan, conversation }: Begin): Promise<void> => {
  const { order, by } = start;
  const correlationId = record.runId;
  let isRecorded = false;
  try {
    await ports.recordStart(record, plan.acting.principal, correlationId);
    isRecorded = true;
    await conversation.append({
      role: "user",
      content: order.message,
      ts: new Date(ports.now()).toISOString(),
      runId: record.runId,
      by: writerName(by.principal),
      ...(order.fileRefs.length === 0 ? {} : { files: order.fileRefs }),
      ...(plan.matched === null ? {} : { skill: plan.matched.name }),
    });
    ports.conversationChanged(by.principal.workspace, conversation);
  } catch (error) {
    const ended = { correlationId, error: error instanceof Refusal ? error.kind : "bug" };
    if (isRecorded) await ports.recordEnd(record, plan.acting.principal, ended).catch(ports.report);
    run.fail(error);
    throw error;
  }
};

export const openConversation = async (
  { recover }: Pick<ChatParts, "recover">,
  here: AgentWorkspace,
  { order, by }: Pick<ChatStart, "order" | "by">,
): Promise<Conversation> => {
  const conversation = await here.conversations.open(order.conversationId ?? "");
  checkChanged(conversation, by.principal);
  await recover(conversation, by.principal.workspace);
  return conversation;
};

/** The one of the request, the one that the conversation has had, or the configured one. */
export const modelNamed = (
  models: Models,
  order: Pick<ChatOrder, "model">,
  earlier: readonly StoredMessage[],
): string => {
  const pinned = earlier.findLast(({ model }) => model !== undefined)?.model;
  const model = order.model ?? pinned ?? models.defaultModel;
  // Refuses a provider that there is not.
  models.windowOf(model);
  return model;
};

/** Refusal `model_unconfigured` where it cannot be called. */
const checkedModel = (models: Models, order: Pick<ChatOrder, "model">, earlier: readonly StoredMessage[]): string => {
  const model = modelNamed(models, order, earlier);
  const sentence = models.unconfigured(model);
  if (sentence === null) return model;
  throw new Refusal("model_unconfigured", { message: sentence, next: "Set it and send the message again." });
};
