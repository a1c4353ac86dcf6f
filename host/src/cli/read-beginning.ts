/** How a chat is to begin, from the flags: in which conversation, with which model and skill. */
import type { ChatNarrowing } from "../assembly/chat-control.ts";
import type { CommandInput } from "./command.ts";
import { isSet, textFlag } from "./flags.ts";
import { UsageError } from "./usage-error.ts";

export type Beginning = Pick<ChatNarrowing, "conversationId" | "model" | "skill">;

export const readBeginning = (context: CommandInput): Beginning => {
  const [conversationId, model, skill] = ["resume", "model", "skill"].map((name) => textFlag(context, name));
  const isWithout = isSet(context, "no-skill");
  if (isWithout && skill !== undefined) {
    throw new UsageError("--skill and --no-skill exclude each other.", "Give one of them.");
  }
  return {
    ...(conversationId !== undefined && { conversationId }),
    ...(model !== undefined && { model }),
    ...(isWithout ? { skill: false } : skill !== undefined && { skill }),
  };
};
