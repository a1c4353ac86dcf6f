/** `bailiwick bundle logs <name>`: what its process last wrote for people. */
import type { RunCommand } from "./command.ts";
import { EXIT } from "./exit-code.ts";
import { reach } from "./reach.ts";

export const runBundleLogs: RunCommand = (context) => {
  const [name = ""] = context.args;
  return reach(context, { provider: name }, async (host) => {
    const { terminal } = context;
    const lines = await host.bundles.logs(name);
    if (context.json) terminal.raw(`${JSON.stringify({ lines }, null, 2)}\n`);
    else if (lines.length === 0) terminal.note(`${name} has written nothing.`);
    else for (const line of lines) terminal.out(line);
    return EXIT.done;
  });
};
