/** `bailiwick key rotate-host`: from now on the host signs with a new key, to which the old one signs the way. */
import type { RunCommand } from "./command.ts";
import { EXIT } from "./exit-code.ts";
import { reach } from "./reach.ts";

export const runKeyRotateHost: RunCommand = (context) =>
  reach(context, "none", async (host) => {
    const { terminal } = context;
    const key = await host.hostKeys.rotate();
    if (context.json) {
      terminal.raw(`${JSON.stringify({ key }, null, 2)}\n`);
      return EXIT.done;
    }
    terminal.out(`The host signs with ${key.key_id} now (${key.public_key}).`);
    terminal.note("The old key is kept for verifying; whoever has pinned it follows its signature to the new one.");
    return EXIT.done;
  });
