/** What an agent wants to stand in a skill, checked: what is written has to be read back as just that. Pure. */
import { foldText, isBlank } from "../skills/fold-text.ts";
import { SKILL_LIMITS } from "../skills/skill-limits.ts";
import { Refusal } from "../../kernel/refusal.ts";
import { invalidInput } from "./tool-answers.ts";

export interface SkillDraft {
  readonly description?: string;
  readonly body?: string;
  readonly triggers?: readonly string[];
  readonly keywords?: readonly string[];
  readonly allowedTools?: readonly string[];
  readonly priority?: number;
  readonly type?: "context" | "skill";
}

export const SKILL_NAME = "^[a-z0-9]+(-[a-z0-9]+)*$";
export const LONGEST_NAME = 64;
const NAME = new RegExp(SKILL_NAME);
/** They end a line somewhere, or are nothing that a person sees. */
const UNFIT = /[\p{Cc}\p{Zl}\p{Zp}\uFEFF\uFFFE\uFFFF]/u;

export const checkSkillName = (name: string): void => {
  if (name.length <= LONGEST_NAME && NAME.test(name)) return;
  throw invalidInput(
    "/name",
    `must be 1 to ${LONGEST_NAME} small letters, digits and single hyphens`,
    "Choose a name such as weekly-report.",
  );
};

/** The same with lists in which nothing stands twice. */
export const checkDraft = (draft: SkillDraft): SkillDraft => {
  const { description, body, triggers, keywords, allowedTools } = draft;
  if (description !== undefined) checkLine("/description", description);
  if (body !== undefined) checkBody(body);
  return {
    ...draft,
    ...(description === undefined ? {} : { description: description.trim() }),
    ...(body === undefined ? {} : { body: body.trim() }),
    ...(triggers === undefined ? {} : { triggers: checkTexts("/triggers", triggers) }),
    ...(keywords === undefined ? {} : { keywords: checkTexts("/keywords", keywords) }),
    ...(allowedTools === undefined ? {} : { allowedTools: checkGlobs(allowedTools) }),
  };
};

/** Of two that differ in case alone the earlier one. */
export const joinTexts = (before: readonly string[], more: readonly string[]): readonly string[] => {
  const texts = new Map<string, string>();
  for (const each of [...before, ...more]) if (!texts.has(foldText(each))) texts.set(foldText(each), each);
  return [...texts.values()];
};

export const checkBody = (body: string): void => {
  if (!body.isWellFormed()) throw invalidInput("/body", "must be without half surrogate pairs", "Write it anew.");
  if (body.trim() === "") throw invalidInput("/body", "must say something", "Write in body what the skill tells.");
  if (Array.from(body.trim()).length <= SKILL_LIMITS.bodyChars) return;
  throw new Refusal("too_large", {
    message: `The body of a skill has at most ${SKILL_LIMITS.bodyChars} characters, and this one would have more.`,
    next: "Make it shorter, or put a part of it into another skill.",
    details: { most: SKILL_LIMITS.bodyChars },
  });
};

const checkLine = (path: string, text: string): void => {
  if (text.isWellFormed() && !UNFIT.test(text)) return;
  throw invalidInput(path, "must be one line without control characters", "Write it in one line.");
};

const checkTexts = (path: string, texts: readonly string[]): readonly string[] => {
  for (const text of texts) {
    checkLine(path, text);
    if (isBlank(text)) throw invalidInput(path, "must have no blank entry", "Leave the blank one out.");
  }
  if (texts.length > SKILL_LIMITS.listItems) throw tooMany(path);
  return joinTexts([], texts);
};

const checkGlobs = (globs: readonly string[]): readonly string[] => {
  for (const glob of globs) {
    checkLine("/allowedTools", glob);
    if (/\s/u.test(glob) || glob === "")
      throw invalidInput("/allowedTools", "must be globs such as files__*", "Write each glob as an entry of its own.");
  }
  // An empty list would leave the host's own tools alone, which is easily meant otherwise.
  if (globs.length === 0)
    throw invalidInput(
      "/allowedTools",
      "must not be empty",
      'Name the tools; for the host\'s own alone write "nb__*".',
    );
  if (globs.length > SKILL_LIMITS.listItems) throw tooMany("/allowedTools");
  return [...new Set(globs)];
};

export const tooMany = (path: string): Refusal =>
  invalidInput(path, `must have at most ${SKILL_LIMITS.listItems} entries`, "Leave some out.");
