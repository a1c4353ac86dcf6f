/** `bailiwick evidence show <id>`: whole records, as recorded. */
import type { RunCommand } from "./command.ts";
import { EXIT } from "./exit-code.ts";
import { isSet } from "./flags.ts";
import { visibleText } from "./visible-text.ts";
import { withEvidence } from "./with-evidence.ts";

export const runEvidenceShow: RunCommand = (context) =>
  withEvidence(context, (evidence) => {
    const { terminal, json } = context;
    const [id = ""] = context.args;
    let count = 0;
    for (const line of evidence.find(id)) {
      count++;
      if (json) terminal.raw(`${line}\n`);
      else terminal.out(JSON.stringify(JSON.parse(line), null, 2));
      const { sequence } = JSON.parse(line) as { readonly sequence: number };
      const retained = isSet(context, "retained") ? evidence.retained(sequence) : null;
      if (retained !== null) terminal.out(json ? retained : visibleText(retained));
    }
    if (count > 0) return EXIT.done;
    terminal.note(terminal.notePaint.red(`No record has "${id}" as sequence, event id, correlation or invocation.`));
    terminal.note("→ The latest ones: bailiwick evidence tail");
    return EXIT.failed;
  });
