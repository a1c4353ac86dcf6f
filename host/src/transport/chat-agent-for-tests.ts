/**
 * A stand-in for the agent, which is another room's: `hello` is answered at once, `busy`, `no model` and `bug` are not, and
 * any other message begins a run that tells what the test has it tell.
 */
import type { Agent, ChatOrder, Chatter, PromptShown } from "../kernel/agent.ts";
import type { Conversation, Conversations, ConversationSummary } from "../kernel/conversation.ts";
import { Refusal } from "../kernel/refusal.ts";
import { ScriptedRun } from "./chat-run-for-tests.ts";

export const KNOWN = "conv_known01";

export interface StandInChats {
  readonly agent: Agent;
  /** What was asked, as `chat by person:owner at rest, wait 0`. */
  readonly log: string[];
  readonly orders: Pick<ChatOrder, "message" | "skill">[];
  readonly runs: ScriptedRun[];
  readonly queries: unknown[];
  /** What is missing for a model; null: nothing. */
  readonly model: { lacks: string | null };
}

const SUMMARY: ConversationSummary = {
  id: KNOWN,
  createdAt: "2026-01-02T03:04:05.678Z",
  updatedAt: "2026-01-02T03:04:05.678Z",
  title: "Reports",
  messageCount: 1,
  preview: "Which are new?",
  totalInputTokens: 0,
  totalOutputTokens: 0,
  totalCostUsd: null,
};

const CONVERSATION: Conversation = {
  head: { id: KNOWN, createdAt: SUMMARY.createdAt },
  messages: [{ role: "user", content: "Which are new?", ts: SUMMARY.createdAt }],
  defect: null,
  append: () => Promise.resolve(),
  summary: () => SUMMARY,
  authors: () => [],
};

const PROMPT: PromptShown = {
  model: "stub:one",
  skill: null,
  tier: "all",
  layers: [{ layer: 1, source: "host", text: "You are.", chars: 8 }],
  stable: "You are.",
  varying: "",
  tools: [],
  message: "hello",
  history: { sent: 0, leftOut: 0 },
  estimatedTokens: 4,
};

const no = (kind: Refusal["kind"], message: string): Refusal => new Refusal(kind, { message, next: "Do this." });

const checkId = (id: string): void => {
  if (!/^conv_[a-z0-9]{6,64}$/.test(id)) throw no("bad_request", "That is no id of a conversation.");
  if (id !== KNOWN) throw no("not_found", "There is no such conversation.");
};

const standInConversations = (log: string[], queries: unknown[]): Conversations => ({
  create: () => Promise.resolve(CONVERSATION.head),
  open: async (id) => {
    checkId(id);
    return CONVERSATION;
  },
  list: async (query) => {
    queries.push(query);
    if (query.cursor === "bad") throw no("bad_request", "The cursor is none of this list.");
    return { conversations: [SUMMARY], nextCursor: null, totalCount: 1 };
  },
  fork: async (id, atMessage) => {
    checkId(id);
    log.push(`fork at ${atMessage}`);
    return { ...SUMMARY, id: "conv_forked1" };
  },
  rename: async (id, title) => {
    checkId(id);
    if (title.trim() === "") throw no("bad_request", "A title must have a letter that can be seen.");
    return { ...SUMMARY, title };
  },
  delete: async (id) => {
    checkId(id);
    log.push(`delete ${id}`);
  },
  close: () => Promise.resolve(),
});

const REFUSED: Readonly<Record<string, Refusal["kind"]>> = {
  busy: "run_in_progress",
  "no model": "model_unconfigured",
};

export const standInChats = (): StandInChats => {
  const [log, queries]: [string[], unknown[]] = [[], []];
  const orders: StandInChats["orders"] = [];
  const runs: ScriptedRun[] = [];
  const owners = new Map<string, string>();
  const model: StandInChats["model"] = { lacks: null };
  const conversations = standInConversations(log, queries);
  const note = (what: string, { principal, presented, door }: Chatter): void => {
    log.push(`${what} by ${principal.id} at ${door} as ${presented.kind}`);
  };
  const find = (id: string, { principal }: Chatter): ScriptedRun => {
    const run = runs.find((one) => one.id === id && owners.get(id) === principal.id);
    if (run === undefined) throw no("not_found", "There is no such run.");
    return run;
  };
  const begin = ({ message, conversationId }: ChatOrder, by: Chatter): ScriptedRun => {
    const run = new ScriptedRun(`run_${runs.length + 1}`, conversationId ?? KNOWN);
    runs.push(run);
    owners.set(run.id, by.principal.id);
    const start = { conversationId: run.conversationId, model: "stub:one", skill: null, directTools: 2 };
    run.tell({ type: "chat.start", ...start });
    if (message !== "hello") return run;
    for (const text of ["Good ", "morning.\n\u2028é"]) run.tell({ type: "text.delta", text });
    run.finish("Good morning.\n\u2028é");
    return run;
  };
  const agent: Agent = {
    chat: async (order, by, { waitMs }) => {
      note(`chat, wait ${waitMs},`, by);
      orders.push(order);
      const kind = REFUSED[order.message];
      if (kind !== undefined) throw no(kind, "Not now.");
      if (order.message === "bug") throw new Error("secret inside");
      if (order.conversationId !== null) checkId(order.conversationId);
      return begin(order, by);
    },
    run: find,
    cancel: async (id, by) => {
      checkId(id);
      note(`cancel ${id}`, by);
    },
    prompt: async (order, by) => {
      note("prompt", by);
      orders.push(order);
      return PROMPT;
    },
    promptOf: (id, by) => {
      find(id, by);
      if (by.principal.permissions.includes("*")) return PROMPT;
      throw no("permission_missing", "It is for owners.");
    },
    conversations: async ({ principal }) => {
      if (principal.scopes !== null) throw no("permission_missing", "This key may name only some tools.");
      return conversations;
    },
    match: async (order, by) => {
      note("match", by);
      orders.push(order);
      return { skill: null, allowedTools: null, candidates: [], warnings: [] };
    },
    unconfigured: () => model.lacks,
  };
  return { agent, log, orders, runs, queries, model };
};
