/** The agent of this very process, for the local person at the terminal or behind a program. */
import type { Agent, AgentRun, Chatter, ChatOrder, ChatResult, RunEvent } from "../kernel/agent.ts";
import type { ConversationQuery } from "../kernel/conversation.ts";
import { Refusal } from "../kernel/refusal.ts";
import type { ChatControl, ChatNarrowing, ChatOptions, ConversationControl } from "./chat-control.ts";
import { parseTold } from "./parse-told.ts";

export interface ControlChatOptions {
  readonly by: Chatter;
  /** For how long a call waits for a person's decision where the message says nothing else. */
  readonly waitMs: () => number;
}

export const controlChat = (agent: Agent, { by, waitMs }: ControlChatOptions): ChatControl => ({
  chat(message, options = {}) {
    const started = begin(agent, { order: orderOf(message, options), by, waitMs, options });
    const result = started.then(outcomeOf(options.signal));
    // Whoever takes the stream alone hears of it there.
    result.catch(() => {});
    return { stream: streamOf(started), result };
  },
  conversations: controlConversations(agent, by),
  prompt: ({ message, ...narrowing }) => agent.prompt(orderOf(message, narrowing), by),
  match: (order) => agent.match(order, by),
});

const orderOf = (message: string, options: ChatNarrowing): ChatOrder => ({
  message,
  conversationId: options.conversationId ?? null,
  model: options.model ?? null,
  maxIterations: options.maxIterations ?? null,
  allowedTools: options.allowedTools ?? null,
  skill: options.skill ?? null,
  app: options.app ?? null,
  fileRefs: options.fileRefs ?? [],
  metadata: options.metadata ?? null,
});

interface Beginning extends ControlChatOptions {
  readonly order: ChatOrder;
  readonly options: ChatOptions;
}

const begin = async (agent: Agent, { order, by, waitMs, options }: Beginning): Promise<AgentRun> => {
  if (options.signal?.aborted === true) {
    throw new Refusal("cancelled", {
      message: "The message was cancelled before it was sent.",
      next: "Send it again with a signal that is not aborted.",
    });
  }
  return agent.chat(order, by, { waitMs: options.approvalWaitMs ?? waitMs() });
};

/** Listens to the end, because a run that nobody listens to is cancelled. */
const outcomeOf =
  (signal: AbortSignal | undefined) =>
  async (run: AgentRun): Promise<ChatResult> => {
    const cancel = (): void => run.cancel();
    signal?.addEventListener("abort", cancel, { once: true });
    if (signal?.aborted === true) cancel();
    const listening = new AbortController();
    const heard = listen(run, listening.signal);
    try {
      return await run.result;
    } finally {
      signal?.removeEventListener("abort", cancel);
      listening.abort();
      await heard;
    }
  };

const listen = async (run: AgentRun, signal: AbortSignal): Promise<void> => {
  const events = run.events(0, signal)[Symbol.asyncIterator]();
  while ((await events.next()).done !== true);
};

const streamOf = (started: Promise<AgentRun>): AsyncIterable<RunEvent> => ({
  async *[Symbol.asyncIterator]() {
    const run = await started;
    const left = new AbortController();
    try {
      for await (const { event } of run.events(0, left.signal)) yield parseTold(event);
    } finally {
      left.abort();
    }
  },
});

const LATEST: ConversationQuery = { limit: 20, cursor: null, search: null, sortBy: "updatedAt" };

const controlConversations = (agent: Agent, by: Chatter): ConversationControl => ({
  list: async (query) => (await agent.conversations(by)).list({ ...LATEST, ...query }),
  history: async (id) => (await (await agent.conversations(by)).open(id)).messages,
  rename: async (id, title) => (await agent.conversations(by)).rename(id, title),
  delete: async (id) => (await agent.conversations(by)).delete(id),
  fork: async (id, atMessage) => (await agent.conversations(by)).fork(id, atMessage ?? null),
});
