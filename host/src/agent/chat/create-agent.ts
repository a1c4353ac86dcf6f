/** The host's own agent. */
import type { Agent, Chatter } from "../../kernel/agent.ts";
import { covers } from "../../kernel/covers.ts";
import { principalName } from "../../kernel/principal-name.ts";
import { Refusal } from "../../kernel/refusal.ts";
import { createRuns, type LiveRun } from "../runs/create-runs.ts";
import { historyMessages } from "../runs/history-messages.ts";
import { unfinishedNotice } from "../runs/interrupted-message.ts";
import { actFor } from "./agent-identity.ts";
import type { AgentPorts } from "./agent-ports.ts";
import { createDelegate, type Delegate } from "./delegate.ts";
import { planRun } from "./plan-run.ts";
import { createRecover } from "./recover-conversation.ts";
import { seenConversations } from "./seen-conversations.ts";
import { showPrompt } from "./show-prompt.ts";
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
    return runs.find(id, { workspace, owner: principalName(principal) });
  };
  const conversations = async ({ principal }: Chatter): ReturnType<Agent["conversations"]> =>
    seenConversations((await ports.workspace(principal.workspace)).conversations, principal, recover);
  return {
    chat: (order, by, { waitMs }) => startChat(parts, { order, by, waitMs }),
    run: find,
    conversations,
    async cancel(conversationId, by) {
      const { head } = await (await conversations(by)).open(conversationId);
      runs.active({ workspace: by.principal.workspace, conversationId: head.id })?.cancel();
    },
    async prompt(order, by) {
      const here = await ports.workspace(by.principal.workspace);
      const existing = order.conversationId === null ? null : await openConversation(parts, here, { order, by });
      const earlier = existing?.messages ?? [];
      const models = ports.models();
      const model = modelNamed(models, order, earlier);
      const plan = await planRun(ports, { order, by, here, model, earlier });
      const history = historyMessages(earlier, { windowTokens: models.windowOf(model) });
      const interrupted = unfinishedNotice(earlier);
      return showPrompt({
        plan,
        tools: plan.surface.now(plan.joined.names()).tools,
        text: [order.message, ...order.fileRefs.map((uri) => `(the file ${uri} would stand here)`)].join("\n\n"),
        runtime: (moment) => plan.runtime({ ...moment, interrupted }),
        history,
      });
    },
    promptOf(runId, by) {
      const run = find(runId, by);
      if (!covers(by.principal.permissions, SEES_PROMPTS)) throw ownersOnly();
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

const ownersOnly = (): Refusal =>
  new Refusal("permission_missing", {
    message: `What was sent to a model is shown to those with the permission ${SEES_PROMPTS} alone.`,
    next: "Ask with the owner's key.",
  });

const nothingSent = (runId: string): Refusal =>
  new Refusal("not_found", {
    message: `Nothing was sent to a model in the run ${runId}.`,
    next: `Follow it: GET /v1/runs/${runId}/events`,
  });
