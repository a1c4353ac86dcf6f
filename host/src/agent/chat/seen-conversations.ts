/**
 * The conversations of a workspace as one principal may see them, each recovered when it is opened. Who changes one is
 * recorded before it is done, and whoever follows the workspace is told.
 */
import type { Chatter } from "../../kernel/agent.ts";
import type { Conversation, Conversations } from "../../kernel/conversation.ts";
import { seesConversation, writerName } from "../../kernel/whose-conversation.ts";
import { forkLength } from "../conversations/fork-length.ts";
import { givenTitle } from "../conversations/given-title.ts";
import type { Runs } from "../runs/create-runs.ts";
import type { AgentPorts } from "./agent-ports.ts";
import { checkChanged, checkSeen } from "./conversation-rights.ts";
import { endActiveRun } from "./end-active-run.ts";
import type { RecoverConversation } from "./recover-conversation.ts";

export interface SeenOptions {
  readonly all: Conversations;
  readonly by: Chatter;
  readonly ports: Pick<AgentPorts, "recordChange" | "conversationChanged">;
  readonly runs: Runs;
  readonly recover: RecoverConversation;
}

type Change = "conversation_deleted" | "conversation_renamed" | "conversation_forked";

export const seenConversations = (options: SeenOptions): Omit<Conversations, "close"> => {
  const { all, by, ports, runs, recover } = options;
  const { principal } = by;
  const { workspace } = principal;
  const open = async (id: string): Promise<Conversation> => {
    const conversation = await all.open(id);
    checkSeen(conversation, principal);
    await recover(conversation, workspace);
    return conversation;
  };
  const openToChange = async (id: string): Promise<Conversation> => {
    const conversation = await open(id);
    checkChanged(conversation, principal);
    return conversation;
  };
  const record = (type: Change, id: string, more: object = {}): Promise<void> =>
    ports.recordChange({ type, conversationId: id, runId: null, more }, by);
  return {
    open,
    create: () => all.create(),
    list: (query) => all.list(query, (authors) => seesConversation(principal, authors)),
    async fork(id, atMessage) {
      await open(id);
      forkLength(atMessage);
      await record("conversation_forked", id, atMessage === null ? {} : { at_message: atMessage });
      const fork = await all.fork(id, atMessage, writerName(principal));
      ports.conversationChanged(workspace, await all.open(fork.id));
      return fork;
    },
    async rename(id, title) {
      const conversation = await openToChange(id);
      givenTitle(title);
      await record("conversation_renamed", id);
      const renamed = await all.rename(id, title);
      ports.conversationChanged(workspace, conversation);
      return renamed;
    },
    async delete(id) {
      const conversation = await openToChange(id);
      await record("conversation_deleted", id);
      // A run that still goes on would write to what is gone.
      await endActiveRun(runs, { workspace, conversationId: id, by: writerName(principal) });
      await all.delete(id);
      ports.conversationChanged(workspace, conversation);
    },
  };
};
