/** What was wrong with the log of a conversation when it was opened: the first run after that is told, and no later one. */
import type { Conversation } from "../../kernel/conversation.ts";

const told = new WeakSet<Conversation>();

/** Null: nothing, or it was told. */
export const defectToTell = (conversation: Conversation): string | null =>
  told.has(conversation) ? null : conversation.defect;

export const defectIsTold = (conversation: Conversation): void => {
  told.add(conversation);
};
