/** `bailiwick skill match "<message>"`: which skill would guide the answer and why, and which came close. Nothing is run. */
import type { SkillMatching } from "../kernel/agent.ts";
import type { CommandContext, RunCommand } from "./command.ts";
import { EXIT } from "./exit-code.ts";
import { reach } from "./reach.ts";
import { visibleText } from "./visible-text.ts";

export const runSkillMatch: RunCommand = (context) => {
  const [message = ""] = context.args;
  return reach(context, "all", async (host) => {
    const matching = await host.match({ message, skill: null });
    if (context.json) context.terminal.raw(`${JSON.stringify(matching, null, 2)}\n`);
    else show(context, matching);
    return EXIT.done;
  });
};

type Candidate = SkillMatching["candidates"][number];

const show = ({ terminal }: CommandContext, { skill, allowedTools, candidates, warnings }: SkillMatching): void => {
  const { paint } = terminal;
  terminal.out(skill === null ? "No skill matches." : `${paint.bold(visibleText(skill.name))}  ${whyIt(skill)}`);
  if (allowedTools !== null) {
    const narrowed = allowedTools.length === 0 ? "nb__* only" : `${allowedTools.join(", ")} and nb__*`;
    terminal.out(visibleText(`  narrows the tools to ${narrowed}`));
  }
  const others = candidates.filter(({ name }) => name !== skill?.name);
  if (others.length > 0) terminal.out(paint.dim("not this time"));
  for (const other of others) terminal.out(visibleText(`  ${other.name}  ${whyNot(other, skill)}`));
  for (const warning of warnings) terminal.note(terminal.notePaint.yellow(`Warning: ${visibleText(warning)}`));
};

const quoted = (words: readonly string[]): string => words.map((word) => JSON.stringify(visibleText(word))).join(", ");

const whyIt = ({ phase, matched }: NonNullable<SkillMatching["skill"]>): string => {
  if (phase === "explicit") return "is asked for by its name";
  return phase === "trigger"
    ? `has the trigger ${quoted(matched)}`
    : `has ${matched.length} of its keywords in the message: ${quoted(matched)}`;
};

/** The phases decide in their order: names, triggers, keywords. */
const whyNot = ({ available, reason, triggers, keywords }: Candidate, won: SkillMatching["skill"]): string => {
  if (!available) return `is not available: ${reason ?? "no reason is known"}`;
  if (triggers.length > 0) {
    const why = won?.phase === "explicit" ? "another is asked for by its name" : "another one's trigger comes first";
    return `has the trigger ${quoted(triggers)}, but ${why}`;
  }
  const found = `has ${keywords.length === 1 ? "1 keyword" : `${keywords.length} keywords`}: ${quoted(keywords)}`;
  if (keywords.length < 2) return `${found}; at least 2 are needed`;
  if (won === null) return found;
  if (won.phase !== "keywords") return `${found}, which count only where no name and no trigger does`;
  return won.matched.length > keywords.length
    ? `${found}; another has more`
    : `${found}; another has as many and comes first`;
};
