/**
 * What somebody may do to a conversation of their workspace. What is not to be seen is as if it were not there; to change what
 * one sees and is not one's own takes `host:admin`.
 */
import type { Conversation } from "../../kernel/conversation.ts";
import { covers } from "../../kernel/covers.ts";
import type { Principal } from "../../kernel/principal.ts";
import { principalName } from "../../kernel/principal-name.ts";
import { Refusal } from "../../kernel/refusal.ts";
import { isOwnConversation, seesConversation } from "../../kernel/whose-conversation.ts";
import { unknownConversation } from "../conversations/conversation-refusals.ts";

const CHANGES_ALL = "host:admin";

/** Refusal `not_found`, as for one that there is not. */
export const checkSeen = (conversation: Conversation, principal: Principal): void => {
  if (!seesConversation(principal, conversation.authors())) throw unknownConversation(conversation.head.id);
};

/** The same, or Refusal `permission_missing` for who may see it. */
export const checkChanged = (conversation: Conversation, principal: Principal): void => {
  checkSeen(conversation, principal);
  if (isOwnConversation(principal, conversation.authors()) || covers(principal.permissions, CHANGES_ALL)) return;
  const { id } = conversation.head;
  throw new Refusal("permission_missing", {
    message: `The conversation ${id} is none of ${principalName(principal)}, who may see it and not change it.`,
    next: `Go on in a copy: POST /v1/conversations/${id}/fork. Or use a key with the permission ${CHANGES_ALL}.`,
    details: { required_permission: CHANGES_ALL, missing: [CHANGES_ALL] },
  });
};
