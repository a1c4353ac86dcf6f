/**
 * Which skill guides one message. The phases are tried in order, and the first that finds one decides: asked for by name,
 * triggers, keywords; those two for skills on the host's disk first, then for skills of servers. Priority has no part in it.
 * Pure.
 */
import { Refusal } from "../../kernel/refusal.ts";
import type { AgentSkill } from "./agent-skill.ts";
import { foldText, isBlank } from "./fold-text.ts";
import { quoted } from "./skill-findings.ts";

export interface SkillMatch<Skill> {
  readonly skill: Skill;
  readonly phase: "explicit" | "trigger" | "keywords";
  /** The name, the trigger, or the keywords that occur. */
  readonly matched: readonly string[];
}

export interface SkillWish {
  readonly message: string;
  /** What the request says: a name, false for none, null for nothing. */
  readonly explicit: string | false | null;
}

const FEWEST_HITS = 2;
const MOST_NAMED = 50;

/** `skills`: those that are available, in load order. Refusal `bad_request` for a name that none of them has. */
export const matchSkill = <Skill extends AgentSkill & { readonly server?: string | null }>(
  skills: readonly Skill[],
  { message, explicit }: SkillWish,
): SkillMatch<Skill> | null => {
  if (explicit === false) return null;
  const matchable = skills.filter(({ type }) => type === "skill");
  if (explicit !== null) return requested(matchable, explicit);
  const text = foldText(message);
  const byWords = (some: readonly Skill[]): SkillMatch<Skill> | null => triggered(some, text) ?? byKeywords(some, text);
  const isOwn = ({ server = null }: Skill): boolean => server === null;
  // What a server says its skill is for takes no message from one that somebody put on the disk.
  return (
    slashed(matchable, message) ??
    byWords(matchable.filter(isOwn)) ??
    byWords(matchable.filter((skill) => !isOwn(skill)))
  );
};

const requested = <Skill extends AgentSkill>(skills: readonly Skill[], name: string): SkillMatch<Skill> => {
  const skill = named(skills, name);
  if (skill !== undefined) return { skill, phase: "explicit", matched: [skill.name] };
  const names = skills.slice(0, MOST_NAMED).map((each) => each.name);
  const more = skills.length > names.length ? ` and ${skills.length - names.length} more` : "";
  throw new Refusal("bad_request", {
    message: `There is no skill ${quoted(name)} that can be used now.`,
    next:
      names.length === 0
        ? "Leave skill out of the request: there are no skills to ask for."
        : `Ask for one of these, or leave skill out: ${names.join(", ")}${more}.`,
    details: { skills: names },
  });
};

/** The very spelling counts before another case. */
export const named = <Skill extends AgentSkill>(skills: readonly Skill[], name: string): Skill | undefined =>
  skills.find((skill) => skill.name.normalize("NFC") === name.normalize("NFC")) ??
  skills.find((skill) => foldText(skill.name) === foldText(name));

/** `/name`, then a blank or the end. Names may hold blanks, so the longest that fits is meant. */
const slashed = <Skill extends AgentSkill>(skills: readonly Skill[], message: string): SkillMatch<Skill> | null => {
  if (!message.startsWith("/")) return null;
  const longest = Math.max(0, ...skills.map(({ name }) => name.length));
  // Normalising can change the length a little.
  const written = message.slice(1, 2 + longest * 4).normalize("NFC");
  let best: Skill | undefined;
  for (const { name } of skills) {
    const plain = name.normalize("NFC");
    const [head, next] = [written.slice(0, plain.length), written.slice(plain.length, plain.length + 1)];
    if (foldText(head) !== foldText(plain) || next.trim() !== "") continue;
    if (best === undefined || plain.length > best.name.normalize("NFC").length) best = named(skills, head);
  }
  return best === undefined ? null : { skill: best, phase: "explicit", matched: [best.name] };
};

const triggered = <Skill extends AgentSkill>(skills: readonly Skill[], text: string): SkillMatch<Skill> | null => {
  for (const skill of skills) {
    const trigger = skill.triggers.find((each) => occurs(each, text));
    if (trigger !== undefined) return { skill, phase: "trigger", matched: [trigger] };
  }
  return null;
};

const byKeywords = <Skill extends AgentSkill>(skills: readonly Skill[], text: string): SkillMatch<Skill> | null => {
  let best: SkillMatch<Skill> | null = null;
  for (const skill of skills) {
    const distinct = new Map(skill.keywords.map((each) => [foldText(each), each]));
    const matched = [...distinct.values()].filter((each) => occurs(each, text));
    if (matched.length < FEWEST_HITS || matched.length <= (best?.matched.length ?? 0)) continue;
    best = { skill, phase: "keywords", matched };
  }
  return best;
};

/** `text`: folded. */
export const occurs = (word: string, text: string): boolean => !isBlank(word) && text.includes(foldText(word));
