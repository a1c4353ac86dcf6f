/** `bailiwick bundle remove <name>`: stops it and takes it out of the configuration. Its data stays. */
import type { RunCommand } from "./command.ts";
import { EXIT } from "./exit-code.ts";
import { reach } from "./reach.ts";

export const runBundleRemove: RunCommand = (context) => {
  const [name = ""] = context.args;
  return reach(context, "open", async (host) => {
    const { terminal } = context;
    const removed = await host.bundles.uninstall(name);
    if (context.json) {
      terminal.raw(`${JSON.stringify(removed, null, 2)}\n`);
      return EXIT.done;
    }
    terminal.out(`Removed ${removed.name}.`);
    terminal.note(`Its data is kept in ${removed.dataPath}; delete that folder if nobody needs it.`);
    return EXIT.done;
  });
};
