/** Which skill a message would match and which came close, for people who wonder why. Pure. */
import type { SkillMatching } from "../../kernel/agent.ts";
import type { BookSkill } from "./book-skill.ts";
import { usableSkills } from "./choose-skill.ts";
import { foldText } from "./fold-text.ts";
import { matchSkill, occurs, type SkillWish } from "./match-skill.ts";

type Candidate = SkillMatching["candidates"][number];

/** Refusal `bad_request` as the message itself would get it. */
export const describeMatching = (skills: readonly BookSkill[], wish: SkillWish): Omit<SkillMatching, "warnings"> => {
  const match = matchSkill(usableSkills(skills, wish), wish);
  const text = foldText(wish.message);
  return {
    skill: match && { name: match.skill.name, phase: match.phase, matched: match.matched },
    allowedTools: match?.skill.allowedTools ?? null,
    candidates: skills
      .filter(({ type }) => type === "skill")
      .map((skill) => candidateOf(skill, text))
      .filter(({ name, triggers, keywords }) => name === match?.skill.name || triggers.length + keywords.length > 0),
  };
};

const candidateOf = ({ name, source, reason, triggers, keywords }: BookSkill, text: string): Candidate => ({
  name,
  source,
  available: reason === null,
  ...(reason === null ? {} : { reason }),
  triggers: triggers.filter((each) => occurs(each, text)),
  keywords: keywords.filter((each) => occurs(each, text)),
});
