/** Why a skill of the workspace is not written, changed or deleted. Paths are relative to the workspace. */
import { Refusal } from "../../kernel/refusal.ts";
import type { FoundSkill } from "../skills/agent-skill.ts";
import { SKILL_LIMITS } from "../skills/skill-limits.ts";
import { invalidInput } from "./tool-answers.ts";

export const notOwn = ({ name, source }: Pick<FoundSkill, "name" | "source">): Refusal =>
  invalidInput(
    "/name",
    `is a ${source} skill, and only skills of the workspace's own directory are changed here`,
    `Create a skill ${name} with the whole text: it then stands in for that one in this workspace.`,
  );

export const exists = (name: string): Refusal =>
  invalidInput("/name", `is taken: there is a skill ${name}`, "Use action update, or choose another name.");

export const isFolder = (name: string): Refusal =>
  invalidInput(
    "/name",
    `is the folder of a skill or a skill package, which only a person changes`,
    `Choose another name, or ask a person to edit the folder ${name}.`,
  );

export const notPlain = (path: string): Refusal =>
  invalidInput(
    "/name",
    `leads to ${path}, which is no plain file`,
    "Ask a person to look at it, or choose another name.",
  );

export const otherFile = (name: string, file: string): Refusal =>
  invalidInput(
    "/name",
    `is not what its file says: ${JSON.stringify(file.slice(0, 100))} and the skill ${name} do not go together`,
    "Ask a person to give the file the name of its skill, or choose another name.",
  );

export const unreadable = (path: string): Refusal =>
  invalidInput(
    "/name",
    `leads to ${path}, which cannot be read as a skill`,
    `Ask a person to mend it: bailiwick skill check ${path}`,
  );

export const full = (): Refusal =>
  new Refusal("quota_exceeded", {
    message: `The workspace has ${SKILL_LIMITS.skills} skills, and no more are taken.`,
    next: "Delete some that are not needed, or add to one that there is.",
  });

export const notDone = (name: string, code: string): Refusal =>
  new Refusal("upstream_failed", {
    message: `The disk of the host did not take the skill ${name} (${code}).`,
    next: "Ask the operator to make room, or to let the host's user write to the skills of the workspace.",
    details: { error: code },
  });
