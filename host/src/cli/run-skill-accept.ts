/**
 * `bailiwick skill accept <name>`: shows what of a package is not what was accepted, and accepts it after a person's yes. What
 * was shown is accepted, by its digest, and nothing else.
 */
import type { PackageChanges, PackageDetail, SkillSeen } from "../kernel/skill-admin.ts";
import { skillRow } from "../kernel/skill-row.ts";
import { askYesNo, isAtTerminal } from "./ask-person.ts";
import type { CommandContext, RunCommand } from "./command.ts";
import { EXIT, type ExitCode } from "./exit-code.ts";
import { isSet } from "./flags.ts";
import { reach } from "./reach.ts";
import { showDiagnostics } from "./show-diagnostics.ts";
import type { Paint } from "./terminal.ts";
import { UsageError } from "./usage-error.ts";
import { visibleText } from "./visible-text.ts";

export const runSkillAccept: RunCommand = (context) => {
  const [name = ""] = context.args;
  return reach(context, { provider: name }, async (host) => {
    const detail = packageOf(await host.skills.get(name));
    const { digest } = detail;
    if (detail.state !== "held" || digest === null) return nothing(context, detail);
    show(context, detail);
    if (!(await isWanted(context))) {
      context.terminal.note("Nothing was accepted.");
      return EXIT.refused;
    }
    return report(context, await host.skills.accept(name, digest), detail.changes);
  });
};

const packageOf = (skill: SkillSeen | PackageDetail): PackageDetail => {
  if ("digest" in skill) return skill;
  throw new UsageError(
    `${visibleText(skill.name)} is a skill without tools of its own, which needs no yes.`,
    "Those that do: bailiwick skill list",
  );
};

const nothing = ({ terminal, json }: CommandContext, detail: PackageDetail): ExitCode => {
  if (json) terminal.raw(`${JSON.stringify({ skill: skillRow(detail) }, null, 2)}\n`);
  if (detail.state !== "broken") {
    terminal.note(`Nothing of ${visibleText(detail.name)} is held.`);
    return EXIT.done;
  }
  terminal.note(
    terminal.notePaint.red(`${visibleText(detail.name)} cannot be used as it is, so it cannot be accepted.`),
  );
  showDiagnostics(detail.diagnostics, { paint: terminal.notePaint, write: (line) => terminal.note(line) });
  return EXIT.failed;
};

/** With --json the result has all of it; what a person decides by is then beside it. */
const show = ({ terminal, json }: CommandContext, detail: PackageDetail): void => {
  const paint = json ? terminal.notePaint : terminal.paint;
  const write = (line: string): void => (json ? terminal.note(line) : terminal.out(line));
  for (const line of describeHeld(detail, paint)) write(line);
  showDiagnostics(detail.diagnostics, { paint, write: (line) => write(`  ${line}`) });
};

const describeHeld = ({ name, accepted, digest, changes }: PackageDetail, paint: Paint): string[] => [
  paint.bold(visibleText(name)),
  `  accepted ${accepted ?? "never"}`,
  `  offered  ${digest ?? "–"}`,
  ...(changes === null
    ? ["  What was accepted of it is not known: all of it is new."]
    : describeChanges(changes, paint)),
];

const describeChanges = ({ tools, required, files }: PackageChanges, paint: Paint): string[] => {
  const listed = describeDifferences(tools, paint);
  const needs = required.map(
    ({ tool, before, after }) =>
      `  ! ${tool} requires ${after.join(", ") || "nothing"} (before: ${before.join(", ") || "nothing"})`,
  );
  return [
    ...(listed.length === 0 ? ["  No tool is new, gone, or another than it was."] : listed),
    ...needs.map((line) => paint.yellow(visibleText(line))),
    ...(["added", "changed", "removed"] as const).flatMap((how) =>
      files[how].length === 0 ? [] : [`  files ${how}: ${files[how].map(visibleText).join(", ")}`],
    ),
  ];
};

const describeDifferences = ({ added, changed, removed }: PackageChanges["tools"], paint: Paint): string[] => [
  ...added.map((name) => `  ${paint.green(`+ ${visibleText(name)} (new)`)}`),
  ...changed.map((name) => `  ${paint.yellow(`~ ${visibleText(name)} (changed)`)}`),
  ...removed.map((name) => `  ${paint.red(`- ${visibleText(name)} (gone)`)}`),
];

const isWanted = async (context: CommandContext): Promise<boolean> => {
  if (isSet(context, "yes")) return true;
  if (isAtTerminal(context)) return askYesNo(context, "Accept it?");
  throw new UsageError("Nobody is there to be asked.", "Look at what is shown, then repeat the command with --yes");
};

const report = ({ terminal, json }: CommandContext, done: PackageDetail, changes: PackageChanges | null): ExitCode => {
  if (json) {
    terminal.raw(`${JSON.stringify({ skill: skillRow(done), changes }, null, 2)}\n`);
    return EXIT.done;
  }
  const tools = done.tools.length === 1 ? "1 tool" : `${done.tools.length} tools`;
  terminal.out(`Accepted ${visibleText(done.name)} as it is now, with ${tools}.`);
  return EXIT.done;
};
