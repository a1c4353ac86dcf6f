/** `bailiwick policy check`: the rules that are in force and what is wrong with them. */
import type { PolicyReport } from "../kernel/policy-report.ts";
import type { CommandContext, RunCommand } from "./command.ts";
import { EXIT } from "./exit-code.ts";
import { reach } from "./reach.ts";
import { renderTable } from "./table.ts";
import { visibleText } from "./visible-text.ts";

/** What a rule is for can be about tools that only a started bundle lists. */
export const runPolicyCheck: RunCommand = (context) =>
  reach(context, "all", async (host) => {
    const report = await host.policy();
    if (context.json) context.terminal.raw(`${JSON.stringify(report, null, 2)}\n`);
    else show(context, report);
    return report.diagnostics.some(({ severity }) => severity === "error") ? EXIT.usage : EXIT.done;
  });

const show = ({ terminal }: CommandContext, { mode, digest, rules, diagnostics }: PolicyReport): void => {
  const { paint, width } = terminal;
  terminal.out(`policy ${visibleText(digest)}`);
  if (mode === "audit") terminal.out(paint.yellow("mode audit: what it denies is recorded and runs all the same"));
  const cells = rules.map(({ id, effect, source, rule }) =>
    [id, effect, source, JSON.stringify(rule["match"] ?? {})].map(visibleText),
  );
  const paintHead = (cell: string, _column: number, row: number): string => (row === 0 ? paint.dim(cell) : cell);
  if (cells.length === 0) terminal.note("There are no rules, so nothing may be called.");
  else
    for (const line of renderTable([["rule", "effect", "from", "match"], ...cells], { width, paint: paintHead }))
      terminal.out(line);
  for (const { severity, where, message } of diagnostics) {
    const colour = severity === "error" ? paint.red : paint.yellow;
    terminal.out(`${colour(severity)} ${visibleText(where)}: ${visibleText(message)}`);
  }
  if (diagnostics.length === 0) terminal.out(paint.green("Nothing is wrong with it."));
};
