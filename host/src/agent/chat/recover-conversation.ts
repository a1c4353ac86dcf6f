/**
 * A conversation whose last run was cut off by the end of the process: what evidence knows of its calls is added to it, so that
 * people and the next run see what was done, and what nobody can know.
 */
import type { Conversation } from "../../kernel/conversation.ts";
import type { Runs } from "../runs/create-runs.ts";
import { interruptedMessage, needsRecovery } from "../runs/interrupted-message.ts";
import type { AgentPorts } from "./agent-ports.ts";

export type RecoverConversation = (conversation: Conversation, workspace: string) => Promise<void>;

export const createRecover = (
  { evidenceOf, conversationChanged }: Pick<AgentPorts, "evidenceOf" | "conversationChanged">,
  runs: Runs,
): RecoverConversation => {
  const recovering = new Map<string, Promise<void>>();
  const recover = async (conversation: Conversation, workspace: string): Promise<void> => {
    const runId = needsRecovery(conversation.messages);
    if (runId === null || runs.active({ workspace, conversationId: conversation.head.id }) !== null) return;
    const message = interruptedMessage(runId, await evidenceOf(runId, workspace), conversation.messages);
    if (message === null) return;
    await conversation.append(message);
    conversationChanged(workspace, conversation);
  };
  return (conversation, workspace) => {
    const key = `${workspace} ${conversation.head.id}`;
    const going = recovering.get(key) ?? recover(conversation, workspace).finally(() => recovering.delete(key));
    recovering.set(key, going);
    return going;
  };
};
