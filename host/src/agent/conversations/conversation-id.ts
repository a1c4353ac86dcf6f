/** How a conversation is named. Nothing but such an id ever becomes a part of a path. */
import { randomSlice } from "../../kernel/make-id.ts";
import { badId } from "./conversation-refusals.ts";

const CONVERSATION_ID = /^conv_[a-z0-9]{6,64}$/;

export const isConversationId = (text: string): boolean => CONVERSATION_ID.test(text);

/** Throws the Refusal for anything else. */
export const checkConversationId = (text: string): void => {
  if (!isConversationId(text)) throw badId(text);
};

export const makeConversationId = (): string => `conv_${randomSlice(8).toString("hex")}`;
