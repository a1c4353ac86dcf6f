/**
 * What `skills__read` gives out: the body of a skill, or another file of its folder. Nothing outside the folder is reached,
 * and no name in it that begins with a dot.
 */
import { realpath } from "node:fs/promises";
import { join, sep } from "node:path";
import { Refusal } from "../../kernel/refusal.ts";
import type { FoundSkill } from "./agent-skill.ts";
import { readPlainFile } from "../../kernel/read-plain-file.ts";
import { quoted } from "./skill-findings.ts";
import { SKILL_LIMITS } from "./skill-limits.ts";
import { systemCode } from "./system-code.ts";

type ReadableSkill = Pick<FoundSkill, "name" | "body" | "folder">;

/** `file`: below the folder, with `/`; null: the body. Refusal `not_found`, `invalid_input` or `too_large`. */
export const readSkillFile = async (skill: ReadableSkill, file: string | null): Promise<string> => {
  if (file === null) return skill.body;
  const { name, folder } = skill;
  if (folder === null) throw notThere(name, file, "It is one file: read it without file.");
  const bytes = isInside(file) ? await bytesOf(folder, file) : null;
  if (bytes === null) throw noSuchFile(name, file);
  if (bytes.length > SKILL_LIMITS.fileBytes) {
    throw new Refusal("too_large", {
      message: `${quoted(file)} of the skill ${name} has more than ${SKILL_LIMITS.fileBytes} bytes.`,
      next: "Go on without it, or ask the person to split it.",
    });
  }
  return textOf(bytes, name, file);
};

export const isInside = (file: string): boolean =>
  file.length <= 1_024 && file.split("/").every((part) => part !== "" && !part.startsWith(".") && !/[\\\0]/.test(part));

const bytesOf = async (folder: string, file: string): Promise<Buffer | null> => {
  try {
    const [root, real] = await Promise.all([realpath(folder), realpath(join(folder, file))]);
    return real.startsWith(root + sep) ? await readPlainFile(real, SKILL_LIMITS.fileBytes) : null;
  } catch (error) {
    systemCode(error);
    return null;
  }
};

const textOf = (bytes: Buffer, name: string, file: string): string => {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw new Refusal("invalid_input", {
      message: `${quoted(file)} of the skill ${name} is no text.`,
      next: "Go on without it: only text can be read here.",
    });
  }
};

export const noSuchFile = (name: string, file: string): Refusal =>
  notThere(name, file, "Name a file of the skill as its text does, such as references/forms.md.");

const notThere = (name: string, file: string, next: string): Refusal =>
  new Refusal("not_found", { message: `The skill ${name} has no file ${quoted(file)}.`, next });
