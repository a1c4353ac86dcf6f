/** The agent of a host in another process, and its conversations. */
import type { PromptShown, RunEvent, SkillMatching } from "../kernel/agent.ts";
import type { ConversationSummary, StoredMessage } from "../kernel/conversation.ts";
import { askHost, readRefusal, type Ask, type HostQuestion, type Reachable } from "./ask-host.ts";
import type { ChatControl, ChatNarrowing, ConversationControl, ConversationPage } from "./chat-control.ts";
import { createChatFeed } from "./chat-feed.ts";
import { followChat } from "./follow-chat.ts";

const get = (path: string): HostQuestion => ({ method: "GET", path });
const post = (path: string, body: object): HostQuestion => ({ method: "POST", path, body });

export const attachChat = (host: Reachable, ask: Ask): ChatControl => ({
  chat(message, options = {}) {
    const feed = createChatFeed();
    // Whoever takes the stream hears the end of the run there; what was refused before there was one is thrown.
    let isTold = false;
    const onEvent = (event: RunEvent): void => {
      isTold ||= (event.type === "done" || event.type === "error") && event.parentRunId === undefined;
      feed.push(event);
    };
    const result = followChat(host, { body: bodyOf(message, options), signal: options.signal, onEvent });
    result.then(
      () => feed.end(),
      (error: Error) => feed.end(isTold ? undefined : error),
    );
    return { stream: feed.stream, result };
  },
  conversations: attachConversations(host, ask),
  prompt: ({ message, ...narrowing }) =>
    ask<PromptShown>(post("/v1/prompt", bodyOf(message, narrowing)), "model", "layers", "tools", "message"),
  match: ({ message, skill }) =>
    ask<SkillMatching>(post("/v1/skills/match", { message, ...(skill !== null && { skill }) }), "candidates"),
});

const bodyOf = (
  message: string,
  { conversationId, model, skill, allowedTools, maxIterations, app, fileRefs, metadata }: ChatNarrowing,
): object => ({
  message,
  conversationId,
  model,
  skill,
  allowedTools,
  maxIterations,
  appContext: app,
  fileRefs,
  metadata,
});

const attachConversations = (host: Reachable, ask: Ask): ConversationControl => {
  const at = (id: string, what = ""): string => `/v1/conversations/${encodeURIComponent(id)}${what}`;
  return {
    list({ limit, cursor, search, sortBy } = {}) {
      const query = new URLSearchParams({
        ...(limit !== undefined && { limit: String(limit) }),
        ...(typeof cursor === "string" && { cursor }),
        ...(typeof search === "string" && { search }),
        sortBy: sortBy ?? "updatedAt",
      });
      return ask<ConversationPage>(get(`/v1/conversations?${query.toString()}`), "conversations", "totalCount");
    },
    history: async (id) =>
      (await ask<{ messages: readonly StoredMessage[] }>(get(at(id, "/history")), "messages")).messages,
    rename: (id, title) => ask<ConversationSummary>({ method: "PATCH", path: at(id), body: { title } }, "id", "title"),
    async delete(id) {
      const reply = await askHost(host, { method: "DELETE", path: at(id) });
      if (reply.status !== 204) throw readRefusal(reply);
    },
    fork: (id, atMessage) =>
      ask<ConversationSummary>(post(at(id, "/fork"), atMessage === undefined ? {} : { atMessage }), "id", "title"),
  };
};
