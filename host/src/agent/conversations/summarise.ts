/** What a list shows of a conversation, added up message by message; so it can always be rebuilt from the log. */
import type { ConversationHead, ConversationSummary } from "../../kernel/conversation.ts";
import { isoOf } from "./head-line.ts";
import type { Entry } from "./message-line.ts";
import { oneLine } from "./one-line.ts";

const UNTITLED = "New conversation";
export const MAX_TITLE = 128;
export const MAX_PREVIEW = 160;
/** A message is the title only until somebody gives one. */
const TITLE_OF_MESSAGE = 80;

/** `title`: given already; null or empty: the first message of the person will be. */
export const beginSummary = ({ id, createdAt }: ConversationHead, title: string | null): ConversationSummary => ({
  id,
  createdAt,
  updatedAt: createdAt,
  title: oneLine(title ?? "", MAX_TITLE) || UNTITLED,
  messageCount: 0,
  preview: "",
  totalInputTokens: 0,
  totalOutputTokens: 0,
  totalCostUsd: null,
});

export const addToSummary = (summary: ConversationSummary, { message, costUsd }: Entry): ConversationSummary => {
  const { role, content, inputTokens = 0, outputTokens = 0 } = message;
  const isTitle = role === "user" && summary.title === UNTITLED;
  const at = isoOf(message.ts) ?? "";
  return {
    id: summary.id,
    createdAt: summary.createdAt,
    // A fork holds messages that are older than itself.
    updatedAt: at > summary.updatedAt ? at : summary.updatedAt,
    title: (isTitle && oneLine(content, TITLE_OF_MESSAGE)) || summary.title,
    messageCount: summary.messageCount + 1,
    preview: oneLine(content, MAX_PREVIEW) || summary.preview,
    totalInputTokens: summary.totalInputTokens + inputTokens,
    totalOutputTokens: summary.totalOutputTokens + outputTokens,
    totalCostUsd: costUsd === null ? summary.totalCostUsd : (summary.totalCostUsd ?? 0) + costUsd,
  };
};
