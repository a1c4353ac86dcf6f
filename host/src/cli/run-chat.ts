/** `bailiwick chat [message]`: talk with the host's agent. */
import type { RunCommand } from "./command.ts";
import { holdChat } from "./hold-chat.ts";
import { UsageError } from "./usage-error.ts";

export const runChat: RunCommand = (context) =>
  holdChat(context, () => {
    throw new UsageError(
      "There is no message.",
      'Write: bailiwick chat "<message>", or pipe one message a line into it.',
    );
  });
