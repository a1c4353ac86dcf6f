/** Tools that were called in the last messages of a conversation, the latest first: they join when a run begins. Pure. */
import type { StoredMessage } from "../../kernel/conversation.ts";

const RECENT_MESSAGES = 5;

export const recentTools = (messages: readonly Pick<StoredMessage, "toolCalls">[]): readonly string[] => {
  const called = messages
    .slice(-RECENT_MESSAGES)
    .flatMap(({ toolCalls = [] }) => toolCalls.filter(({ dropped }) => dropped === undefined));
  return [...new Set(called.map(({ name }) => name).toReversed())];
};
