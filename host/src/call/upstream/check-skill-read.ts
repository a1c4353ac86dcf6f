/**
 * A file of a skill is given out only if it is what the skill's entry says: listed there, of that size and SHA-256, and, for
 * `SKILL.md`, with that front matter. Looked at on each read, since a server may answer differently each time.
 */
import type { Catalogue, ListedSkill } from "../../kernel/provider.ts";
import { Refusal } from "../../kernel/refusal.ts";
import { skillFileDefect } from "../../kernel/skill-rules.ts";
import type { Opened } from "../../kernel/stages.ts";

type Roots = ReadonlyMap<string, ListedSkill>;
const MANIFEST = "SKILL.md";
const rootsOf = new WeakMap<NonNullable<Catalogue["skills"]>, Roots>();

/** Throws Refusal `skill_digest_mismatch`; `value` is the parsed result of the read. */
export const checkSkillRead = async ({ target, operation }: Opened, value: unknown): Promise<void> => {
  const { skills } = target.provider.catalogue();
  const skill = operation === "read" && skills !== null ? skillOf(target.name, skills) : null;
  const defect = skill && (await skillFileDefect({ skill: skill.value, uri: target.name, result: value }));
  if (defect === null) return;
  const { name } = target.provider;
  throw new Refusal("skill_digest_mismatch", {
    message: `${name} answered with a file that is not what its skill says, so it is withheld: ${defect.slice(0, 500)}`,
    next: `If its skills were changed, have them listed anew: bailiwick bundle restart ${name}; else report it to their author.`,
    details: { uri: target.name.slice(0, 1_024), provider: name },
  });
};

/** The skill in whose folder the file lies, whichever way its URI is written. */
const skillOf = (uri: string, skills: readonly ListedSkill[]): ListedSkill | null => {
  if (skills.length === 0 || !URL.canParse(uri)) return null;
  const roots = rootsOf.get(skills) ?? indexRoots(skills);
  const { href } = new URL(uri);
  for (let at = href.lastIndexOf("/"); at > 0; at = href.lastIndexOf("/", at - 1)) {
    const skill = roots.get(href.slice(0, at + 1));
    if (skill) return skill;
  }
  return null;
};

const indexRoots = (skills: readonly ListedSkill[]): Roots => {
  const roots = new Map(skills.map((skill) => [new URL(skill.uri).href.slice(0, -MANIFEST.length), skill]));
  rootsOf.set(skills, roots);
  return roots;
};
