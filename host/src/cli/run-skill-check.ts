/** `bailiwick skill check <path>`: what is wrong with skills on disk, by line. Needs no host and no configuration. */
import { resolve } from "node:path";
import { checkSkills, type CheckedSkill } from "../assembly/check-skill.ts";
import type { CommandContext, RunCommand } from "./command.ts";
import { EXIT } from "./exit-code.ts";
import { visibleText } from "./visible-text.ts";

export const runSkillCheck: RunCommand = async (context) => {
  const checked = await checkSkills(resolve(context.cwd, context.args[0] ?? ""));
  const isBad = checked.some(({ findings }) => findings.some(({ level }) => level === "error"));
  if (context.json) context.terminal.raw(`${JSON.stringify({ ok: !isBad, skills: checked }, null, 2)}\n`);
  else for (const skill of checked) show(context, skill);
  return isBad ? EXIT.failed : EXIT.done;
};

const show = ({ terminal }: CommandContext, { path, name, type, findings }: CheckedSkill): void => {
  const { paint } = terminal;
  const errors = findings.filter(({ level }) => level === "error").length;
  if (errors === 0) {
    const more = findings.length === 0 ? "" : findings.length === 1 ? ", 1 warning" : `, ${findings.length} warnings`;
    const kind = type === "context" ? "context skill" : "skill";
    terminal.out(`${paint.green("ok")}  ${visibleText(path)}  ${kind} ${visibleText(name ?? "")}${more}`);
  }
  for (const { file, line, level, message } of findings) {
    const word = level === "error" ? paint.red(level) : paint.yellow(level);
    terminal.out(`${word}  ${visibleText(file)}${line === null ? "" : `:${line}`}  ${visibleText(message)}`);
  }
};
