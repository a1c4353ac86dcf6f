/**
 * The name in the front matter of a `SKILL.md`. Only that is read here: whether all of it is as it should be, the rules of
 * the protocol decide. Aliases are not followed, so that none can be made to grow. The reader of YAML is loaded with the
 * first skill.
 */
import { SkillDefect } from "./skill-defect.ts";
import { SKILL_LIMITS } from "./skill-limits.ts";

const OPENING = /^\uFEFF?---\r?\n/;
const CLOSING = /^---[\t ]*\r?$/m;
const NAME = /^[a-z0-9]+(?:-[a-z0-9]+)*$/;
const MAX_NAME = 64;

/** Throws SkillDefect. */
export const readSkillName = async (manifest: string): Promise<string> => {
  const head = OPENING.exec(manifest.slice(0, 10));
  if (head === null) throw new SkillDefect('SKILL.md does not begin with front matter: begin it with a line "---".');
  const rest = manifest.slice(head[0].length, head[0].length + SKILL_LIMITS.frontMatterChars);
  const end = CLOSING.exec(rest);
  if (end === null) throw new SkillDefect('the front matter of SKILL.md does not end: end it with a line "---".');
  const name = await nameIn(rest.slice(0, end.index));
  if (typeof name !== "string" || name.length > MAX_NAME || !NAME.test(name)) {
    throw new SkillDefect(
      `SKILL.md has no usable name: give it "name:" of 1 to ${MAX_NAME} small letters, digits and single hyphens.`,
    );
  }
  return name;
};

const nameIn = async (yaml: string): Promise<unknown> => {
  const { parseDocument } = await import("yaml");
  try {
    const document = parseDocument(yaml, { uniqueKeys: false, logLevel: "silent" });
    const [error] = document.errors;
    if (error) throw error;
    return document.get("name");
  } catch (error) {
    const reason = error instanceof Error ? error.message.split("\n", 1)[0]?.slice(0, 200) : "";
    throw new SkillDefect(`the front matter of SKILL.md is no YAML (${reason}): mend it.`);
  }
};
