/** The conversations of a workspace as one principal may see them, each recovered when it is opened. */
import type { Conversation, Conversations } from "../../kernel/conversation.ts";
import type { Principal } from "../../kernel/principal.ts";
import { Refusal } from "../../kernel/refusal.ts";
import { checkSeen } from "./check-seen.ts";
import type { RecoverConversation } from "./recover-conversation.ts";

export const seenConversations = (
  all: Conversations,
  principal: Principal,
  recover: RecoverConversation,
): Omit<Conversations, "close"> => {
  const open = async (id: string): Promise<Conversation> => {
    const conversation = await all.open(id);
    checkSeen(conversation, principal);
    await recover(conversation, principal.workspace);
    return conversation;
  };
  return {
    open,
    create: () => all.create(),
    async list(query) {
      if (principal.scopes !== null) throw narrowed();
      return all.list(query);
    },
    async fork(id, atMessage) {
      await open(id);
      return all.fork(id, atMessage);
    },
    async rename(id, title) {
      await open(id);
      return all.rename(id, title);
    },
    async delete(id) {
      await open(id);
      await all.delete(id);
    },
  };
};

const narrowed = (): Refusal =>
  new Refusal("permission_missing", {
    message: "A key that may name only some tools cannot list the conversations of its workspace.",
    next: "Open the ones that it began by their ids, or list them with a key without scopes.",
  });
