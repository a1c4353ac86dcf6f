/** `bailiwick skill info <name>`: all that is known of one skill or skill package. */
import type { PackageDetail, SkillSeen } from "../kernel/skill-admin.ts";
import { skillRow } from "../kernel/skill-row.ts";
import type { CommandContext, RunCommand } from "./command.ts";
import { declareCommand } from "./declare-command.ts";
import { EXIT } from "./exit-code.ts";
import { reach } from "./reach.ts";
import { showDiagnostics } from "./show-diagnostics.ts";
import { skillFacts } from "./skill-facts.ts";
import { renderTable } from "./table.ts";
import { visibleText } from "./visible-text.ts";

const LAST_LINES = 20;

export const runSkillInfo: RunCommand = (context) => {
  const [name = ""] = context.args;
  return reach(context, { provider: name }, async (host) => {
    const skill = await host.skills.get(name);
    if (context.json) context.terminal.raw(`${JSON.stringify({ skill: skillRow(skill) }, null, 2)}\n`);
    else show(context, skill);
    return EXIT.done;
  });
};

const show = ({ terminal }: CommandContext, skill: SkillSeen | PackageDetail): void => {
  const { name, state, missing_capabilities, diagnostics } = skill;
  terminal.out(terminal.paint.bold(visibleText(name)));
  const rows = skillFacts(skill).map(([label, text]) => [`  ${label}`, text]);
  for (const line of renderTable(rows, { width: terminal.width })) terminal.out(line);
  showDiagnostics(diagnostics, { paint: terminal.paint, write: (line) => terminal.out(`  ${line}`) });
  const lines = "logs" in skill ? skill.logs.slice(-LAST_LINES) : [];
  if (lines.length > 0) terminal.out("  what its scripts wrote last");
  for (const line of lines) terminal.out(`    ${terminal.paint.dim(visibleText(line))}`);
  if (state === "held") terminal.note(`→ See what changed, and accept it: bailiwick skill accept ${visibleText(name)}`);
  if (missing_capabilities.length > 0) {
    terminal.note(`→ Declare what is missing: ${declareCommand(missing_capabilities)}`);
  }
};
