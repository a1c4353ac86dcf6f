/**
 * What is kept of a conversation, added up message by message, so that it can always be rebuilt from the log: what a list
 * shows, who wrote in it, and whether all that it cost is known.
 */
import type { Authors, ConversationHead, ConversationSummary } from "../../kernel/conversation.ts";
import { addAuthor, firstAuthors } from "./authors.ts";
import { isoOf } from "./head-line.ts";
import type { Entry } from "./message-line.ts";
import { shownLine } from "./shown-line.ts";

const UNTITLED = "New conversation";
export const MAX_TITLE = 128;
export const MAX_PREVIEW = 160;
/** A message is the title only until somebody gives one. */
const TITLE_OF_MESSAGE = 80;

export interface Tally extends ConversationSummary {
  readonly authors: Authors;
  /** A message of a model cost nobody knows what: there is no total any more. */
  readonly isCostUnknown: boolean;
}

/** What leaves this room of it. */
export const shownOf = ({ authors: _authors, isCostUnknown: _isCostUnknown, ...summary }: Tally): ConversationSummary =>
  summary;

/** `title`: given already; null or empty: the first message of the person will be. */
export const beginSummary = (head: ConversationHead, title: string | null): Tally => ({
  id: head.id,
  createdAt: head.createdAt,
  updatedAt: head.createdAt,
  title: shownLine(title ?? "", MAX_TITLE) || UNTITLED,
  messageCount: 0,
  preview: "",
  totalInputTokens: 0,
  totalOutputTokens: 0,
  totalCostUsd: null,
  authors: firstAuthors(head),
  isCostUnknown: false,
});

/** `head`: of the conversation, which says from where on the messages of a fork are its own. */
export const addToSummary = (summary: Tally, { message, costUsd }: Entry, head: ConversationHead): Tally => {
  const { role, content, inputTokens = 0, outputTokens = 0 } = message;
  const isTitle = role === "user" && summary.title === UNTITLED;
  const at = isoOf(message.ts) ?? "";
  const isCostUnknown = summary.isCostUnknown || (costUsd === null && message.model !== undefined);
  const cost = costUsd === null ? summary.totalCostUsd : (summary.totalCostUsd ?? 0) + costUsd;
  return {
    id: summary.id,
    createdAt: summary.createdAt,
    // A fork holds messages that are older than itself.
    updatedAt: at > summary.updatedAt ? at : summary.updatedAt,
    title: (isTitle && shownLine(content, TITLE_OF_MESSAGE)) || summary.title,
    messageCount: summary.messageCount + 1,
    preview: shownLine(content, MAX_PREVIEW) || summary.preview,
    totalInputTokens: summary.totalInputTokens + inputTokens,
    totalOutputTokens: summary.totalOutputTokens + outputTokens,
    totalCostUsd: isCostUnknown ? null : cost,
    authors: addAuthor(summary, message, head),
    isCostUnknown,
  };
};
