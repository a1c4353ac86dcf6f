/** `bailiwick evidence redact <sequence or event id> --reason <text>`: takes the payload out of one record, for good. */
import type { RunCommand } from "./command.ts";
import { confirmRemoval } from "./confirm-removal.ts";
import { EXIT } from "./exit-code.ts";
import { reachRunning } from "./reach-running.ts";

export const runEvidenceRedact: RunCommand = async (context) => {
  const { terminal } = context;
  const [event = ""] = context.args;
  const reason = await confirmRemoval(context, `the payload of record ${event}`);
  if (reason === null) return EXIT.refused;
  return reachRunning(context, async (host) => {
    const redacted = await host.removal.redact({ event, reason });
    if (context.json) terminal.raw(`${JSON.stringify(redacted, null, 2)}\n`);
    else terminal.out(`Withheld: the payload of record ${redacted.sequence} (${redacted.event_id}).`);
    terminal.note("Its hash stays, so that the record and everything else still verifies.");
    return EXIT.done;
  });
};
