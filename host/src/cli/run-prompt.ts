/** `bailiwick prompt "<message>"`: what the model would get, and nothing is sent. */
import { readBeginning } from "./read-beginning.ts";
import type { RunCommand } from "./command.ts";
import { describePrompt } from "./describe-prompt.ts";
import { EXIT } from "./exit-code.ts";
import { reach } from "./reach.ts";

export const runPrompt: RunCommand = (context) => {
  const [message = ""] = context.args;
  const beginning = readBeginning(context);
  return reach(context, "all", async (host) => {
    const { terminal, json } = context;
    const shown = await host.prompt({ message, ...beginning });
    if (json) terminal.raw(`${JSON.stringify(shown, null, 2)}\n`);
    else for (const line of describePrompt(shown, terminal.paint)) terminal.out(line);
    return EXIT.done;
  });
};
