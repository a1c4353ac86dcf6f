/** `bailiwick evidence checkpoint`: the head of the log as it is now, signed. Whoever keeps it elsewhere can tell if the log is changed. */
import type { RunCommand } from "./command.ts";
import { EXIT } from "./exit-code.ts";
import { withEvidence } from "./with-evidence.ts";

export const runEvidenceCheckpoint: RunCommand = (context) =>
  withEvidence(context, (evidence) => {
    const { terminal } = context;
    const text = evidence.checkpoint();
    if (text === null) {
      terminal.note(terminal.notePaint.red("There is nothing that could be signed, or no key to sign it with."));
      terminal.note(
        "→ Run it as the user of the host, after a first call; a running host signs by itself within 10 seconds",
      );
      return EXIT.failed;
    }
    terminal.raw(`${text}\n`);
    terminal.note("Keep it away from this machine: bailiwick evidence verify --checkpoint <file>");
    return EXIT.done;
  });
