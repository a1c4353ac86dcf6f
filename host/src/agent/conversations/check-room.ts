/** Whether a message still has room in its conversation. */
import type { StoredMessage } from "../../kernel/conversation.ts";
import { tooLarge } from "./conversation-refusals.ts";
import { MAX_LOG_BYTES } from "./load-log.ts";
import { MAX_LINE_BYTES } from "./log-file.ts";

/** A person is told earlier, so that the answer still finds room. */
const MAX_BEFORE_QUESTION = 64 << 20;

export interface Room {
  readonly id: string;
  readonly logBytes: number;
  readonly lineBytes: number;
  readonly role: StoredMessage["role"];
}

/** Throws the Refusal. */
export const checkRoom = ({ id, logBytes, lineBytes, role }: Room): void => {
  if (lineBytes > MAX_LINE_BYTES) throw tooLarge(id, "A message");
  if (role === "user" && logBytes > MAX_BEFORE_QUESTION) throw tooLarge(id, "The log");
  if (logBytes + lineBytes > MAX_LOG_BYTES) throw tooLarge(id, "The log");
};
