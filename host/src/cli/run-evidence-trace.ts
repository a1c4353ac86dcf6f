/** `bailiwick evidence trace <correlation>`: the six steps of each call, from who acted to what came of it. */
import type { RunCommand } from "./command.ts";
import { EXIT } from "./exit-code.ts";
import { withEvidence } from "./with-evidence.ts";

interface Trace {
  readonly invocations: readonly {
    readonly invocation_id: string;
    readonly steps: readonly Readonly<Record<string, unknown>>[];
  }[];
}

const STEP_WIDTH = 12;

const describe = (step: Readonly<Record<string, unknown>>): string =>
  Object.entries(step)
    .filter(([key, value]) => key !== "step" && value !== null)
    .map(([key, value]) => `${key}=${typeof value === "string" ? value : JSON.stringify(value)}`)
    .join("  ");

export const runEvidenceTrace: RunCommand = (context) =>
  withEvidence(context, (evidence) => {
    const { terminal, json } = context;
    const [id = ""] = context.args;
    const trace = evidence.trace(id) as unknown as Trace;
    if (json) terminal.raw(`${JSON.stringify(trace, null, 2)}\n`);
    if (trace.invocations.length === 0) {
      terminal.note(terminal.notePaint.red(`No record has the correlation "${id}".`));
      terminal.note("→ The latest ones: bailiwick evidence tail --json");
      return EXIT.failed;
    }
    for (const { invocation_id: invocation, steps } of json ? [] : trace.invocations) {
      terminal.out(terminal.paint.bold(invocation));
      for (const step of steps) {
        const said = describe(step);
        if (said !== "") terminal.out(`  ${String(step["step"]).padEnd(STEP_WIDTH)}${said}`);
      }
    }
    return EXIT.done;
  });
