/** The host's own agent. */
import type { Agent, Chatter } from "../../kernel/agent.ts";
import { covers } from "../../kernel/covers.ts";
import { Refusal } from "../../kernel/refusal.ts";
import { writerName } from "../../kernel/whose-conversation.ts";
import { createRuns, type LiveRun } from "../runs/create-runs.ts";
import { cancelledByPerson } from "../runs/run-refusals.ts";
import { actFor } from "./agent-identity.ts";
import type { AgentPorts } from "./agent-ports.ts";
import { composeRun } from "./compose-run.ts";
import { checkChanged } from "./conversation-rights.ts";
import { defectToTell } from "./defect-to-tell.ts";
import { createDelegate, type Delegate } from "./delegate.ts";
import { planRun } from "./plan-run.ts";
import { createRecover } from "./recover-conversation.ts";
import { seenConversations } from "./seen-conversations.ts";
import type { ChatParts } from "./chat-parts.ts";
import { modelNamed, openConversation, startChat } from "./start-chat.ts";

export interface OpenedAgent extends Agent {
  readonly delegate: Delegate;
  /** Cancels what runs; resolves when all of it has ended. */
  close(): Promise<void>;
}

/** Whoever sees what was sent to a model sees the texts of every skill and bundle. */
const SEES_PROMPTS = "host:admin";

export const createAgent = (ports: AgentPorts): OpenedAgent => {
  const runs = createRuns();
  const recover = createRecover(ports, runs);
  const prompts: ChatParts["prompts"] = new WeakMap();
  const parts: ChatParts = { ports, runs, recover, prompts };
  const find = (id: string, { principal }: Chatter): LiveRun => {
    const { workspace } = principal;
    return runs.find(id, { workspace, owner: writerName(principal) });
  };
  const conversations = async (by: Chatter): ReturnType<Agent["conversations"]> => {
    const { conversations: all } = await ports.workspace(by.principal.workspace);
    return seenConversations({ all, by, ports, runs, recover });
  };
  return {
    chat: (order, by, { waitMs }) => startChat(parts, { order, by, waitMs }),
    run: find,
    conversations,
    async cancel(conversationId, by) {
      const { principal } = by;
      checkChanged(await (await conversations(by)).open(conversationId), principal);
      const run = runs.active({ workspace: principal.workspace, conversationId });
      if (run === null) return;
      try {
        await ports.recordChange({ type: "run_cancel_asked", conversationId, runId: run.id, more: {} }, by);
      } finally {
        // What is to stop stops, also where that cannot be recorded.
        run.cancel(cancelledByPerson(run.id), writerName(principal));
      }
    },
    async prompt(order, by) {
      checkOwner(by);
      const here = await ports.workspace(by.principal.workspace);
      const existing = order.conversationId === null ? null : await openConversation(parts, here, { order, by });
      const earlier = existing?.messages ?? [];
      const models = ports.models();
      const model = modelNamed(models, order, earlier);
      const plan = await planRun(ports, { order, by, here, model, earlier });
      return composeRun({
        plan,
        tools: plan.surface.now(plan.joined.names()).tools,
        models,
        earlier,
        defect: existing && defectToTell(existing),
        text: [order.message, ...order.fileRefs.map((uri) => `(the file ${uri} would stand here)`)].join("\n\n"),
      }).shown;
    },
    promptOf(runId, by) {
      const run = find(runId, by);
      checkOwner(by);
      const prompt = prompts.get(run);
      if (prompt === undefined) throw nothingSent(runId);
      return prompt;
    },
    async match({ message, skill }, by) {
      const here = await ports.workspace(by.principal.workspace);
      return here.skills.match(actFor(ports.identify, by).principal, { message, explicit: skill });
    },
    unconfigured() {
      const models = ports.models();
      return models.unconfigured(models.defaultModel);
    },
    delegate: createDelegate(ports),
    close: () => runs.close(),
  };
};

const checkOwner = ({ principal }: Chatter): void => {
  if (covers(principal.permissions, SEES_PROMPTS)) return;
  throw new Refusal("permission_missing", {
    message: `What a model is sent is shown to those with the permission ${SEES_PROMPTS} alone.`,
    next: "Ask with the owner's key.",
    details: { required_permission: SEES_PROMPTS, missing: [SEES_PROMPTS] },
  });
};

const nothingSent = (runId: string): Refusal =>
  new Refusal("not_found", {
    message: `Nothing was sent to a model in the run ${runId}.`,
    next: `Follow it: GET /v1/runs/${runId}/events`,
  });
