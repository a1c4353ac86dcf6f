/** `bailiwick` alone: a chat; where nobody sits and nothing is piped in, what there is to type. */
import type { RunCommand } from "./command.ts";
import { EXIT } from "./exit-code.ts";
import { holdChat } from "./hold-chat.ts";

export const runBareChat: RunCommand = (context) =>
  holdChat(context, () => {
    context.terminal.out(context.help());
    return EXIT.done;
  });
