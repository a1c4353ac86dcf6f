/** Whether somebody may see a conversation of their workspace: a key that may name only some tools sees its own alone. */
import type { Conversation } from "../../kernel/conversation.ts";
import type { Principal } from "../../kernel/principal.ts";
import { principalName } from "../../kernel/principal-name.ts";
import { unknownConversation } from "../conversations/conversation-refusals.ts";

/** Refusal `not_found`, as for one that there is not. */
export const checkSeen = ({ head, messages }: Conversation, principal: Principal): void => {
  if (principal.scopes === null) return;
  const name = principalName(principal);
  const isOwn = messages.every(({ role, by }) => role !== "user" || by === name);
  if (!isOwn) throw unknownConversation(head.id);
};
