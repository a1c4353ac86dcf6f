/**
 * Who wrote in a conversation: the distinct `by` of its user messages. Of a fork whose maker is known it is the maker and who
 * wrote since, because the copy is the maker's own. Whoever is not known, and a crowd that does not fit, is an empty name.
 */
import type { Authors, ConversationHead, StoredMessage } from "../../kernel/conversation.ts";

const UNKNOWN = "";
const CROWD: Authors = Object.freeze([UNKNOWN]);
const MOST_AUTHORS = 16;
/** All of them together, as JSON. */
const MOST_BYTES = 4096;

export const firstAuthors = ({ by }: Pick<ConversationHead, "by">): Authors => (by === undefined ? [] : fitting([by]));

/** `before`: what is known of the messages before this one. */
export const addAuthor = (
  before: { readonly authors: Authors; readonly messageCount: number },
  { role, by = UNKNOWN }: Pick<StoredMessage, "role" | "by">,
  { by: maker, forkedFrom }: Pick<ConversationHead, "by" | "forkedFrom">,
): Authors => {
  const { authors, messageCount } = before;
  const isCopied = maker !== undefined && forkedFrom !== undefined && messageCount < forkedFrom.atMessage;
  if (role !== "user" || isCopied || authors.includes(by) || authors.includes(UNKNOWN)) return authors;
  return fitting([...authors, by]);
};

const fitting = (all: Authors): Authors => (isAuthors(all) ? all : CROWD);

/** Whether a meta file may hold them. */
export const isAuthors = (value: unknown): value is Authors =>
  Array.isArray(value) &&
  value.length <= MOST_AUTHORS &&
  value.every((each) => typeof each === "string") &&
  Buffer.byteLength(JSON.stringify(value)) <= MOST_BYTES;
