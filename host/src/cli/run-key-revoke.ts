/** `bailiwick key revoke <name>`: from now on the key opens nothing. */
import type { RunCommand } from "./command.ts";
import { EXIT } from "./exit-code.ts";
import { reach } from "./reach.ts";

export const runKeyRevoke: RunCommand = (context) =>
  reach(context, "none", async (host) => {
    const { terminal } = context;
    const row = await host.keys.revoke(context.args[0] ?? "");
    if (context.json) terminal.raw(`${JSON.stringify({ key: row }, null, 2)}\n`);
    else terminal.out(`Revoked: ${row.name}. It stopped working at once.`);
    return EXIT.done;
  });
