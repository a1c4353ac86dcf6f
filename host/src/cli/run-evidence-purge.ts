/** `bailiwick evidence purge <correlation> --reason <text>`: takes all records of a correlation out of the log, for good. */
import type { RunCommand } from "./command.ts";
import { confirmRemoval } from "./confirm-removal.ts";
import { EXIT } from "./exit-code.ts";
import { reachRunning } from "./reach-running.ts";

export const runEvidencePurge: RunCommand = async (context) => {
  const { terminal } = context;
  const [correlation = ""] = context.args;
  const reason = await confirmRemoval(context, `all records of ${correlation}`);
  if (reason === null) return EXIT.refused;
  return reachRunning(context, async (host) => {
    const purged = await host.removal.purge({ correlation, reason });
    if (context.json) terminal.raw(`${JSON.stringify(purged, null, 2)}\n`);
    else terminal.out(`Purged: ${purged.events} records of ${purged.correlation}.`);
    terminal.note("Their hashes stay, so that everything else still verifies and the gap shows.");
    return EXIT.done;
  });
};
