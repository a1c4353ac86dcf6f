/** `bailiwick skill list`: skills and packages with what they lack, and below the table what is wrong with them. */
import type { SkillSeen } from "../kernel/skill-admin.ts";
import { skillRow } from "../kernel/skill-row.ts";
import type { CommandContext, RunCommand } from "./command.ts";
import { EXIT } from "./exit-code.ts";
import { isSet, textFlag } from "./flags.ts";
import { reach } from "./reach.ts";
import { showDiagnostics } from "./show-diagnostics.ts";
import { renderTable } from "./table.ts";
import { visibleText } from "./visible-text.ts";

export const runSkillList: RunCommand = (context) =>
  reach(context, "all", async (host) => {
    const [satisfied, dcc] = [isSet(context, "satisfied"), textFlag(context, "dcc")];
    const skills = await host.skills.list({ ...(satisfied && { satisfied }), ...(dcc !== undefined && { dcc }) });
    const warnings = await host.skills.warnings();
    if (context.json) context.terminal.raw(`${JSON.stringify({ skills: skills.map(skillRow), warnings }, null, 2)}\n`);
    else show(context, skills, satisfied || dcc !== undefined);
    for (const warning of warnings) context.terminal.note(context.terminal.notePaint.yellow(visibleText(warning)));
    return EXIT.done;
  });

const show = ({ terminal }: CommandContext, skills: readonly SkillSeen[], isCut: boolean): void => {
  if (skills.length === 0) {
    terminal.note(
      isCut
        ? "No skill fits. All of them: bailiwick skill list"
        : "There are no skills. Put a Markdown file or a folder with a SKILL.md into ~/.bailiwick/skills, or name its directory in skillDirs.",
    );
    return;
  }
  const cells = skills.map(({ name, kind, type, state, tools, missing_capabilities, description, reason }) =>
    [
      name,
      kind === "package" ? kind : type,
      state,
      String(tools.length),
      missing_capabilities.join(" ") || "–",
      (reason ?? description).split(/[\r\n]/, 1)[0] ?? "",
    ].map(visibleText),
  );
  const paint = (cell: string, column: number, row: number): string => {
    if (row === 0) return terminal.paint.dim(cell);
    const isOdd = (column === 2 && cell !== "ready") || (column === 4 && cell !== "–");
    return isOdd ? terminal.paint.yellow(cell) : cell;
  };
  const table = [["skill", "kind", "state", "tools", "missing", "description"], ...cells];
  for (const line of renderTable(table, { width: terminal.width, paint })) terminal.out(line);
  const diagnostics = skills.flatMap((skill) => skill.diagnostics);
  if (diagnostics.length > 0) terminal.out();
  showDiagnostics(diagnostics, { paint: terminal.paint, write: (line) => terminal.out(line) });
  for (const { name, state } of skills) {
    if (state === "held") terminal.note(`→ ${visibleText(name)}: bailiwick skill accept ${visibleText(name)}`);
  }
};
