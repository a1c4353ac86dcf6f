/**
 * The skill that guides one message, with its text. A server that does not give out the text of its skill has none of its
 * skills chosen for this message; only whoever asked for that very skill is refused.
 */
import { Refusal } from "../../kernel/refusal.ts";
import type { BookSkill } from "./book-skill.ts";
import { matchSkill, named, type SkillMatch, type SkillWish } from "./match-skill.ts";
import { readRemoteBody, type ReadServerSkill } from "./read-remote-skill.ts";
import { quoted } from "./skill-findings.ts";
import type { SkillReader } from "./skill-reader.ts";

export interface SkillChoice {
  readonly match: SkillMatch<BookSkill> | null;
  /** Skills that matched and whose text could not be had. */
  readonly unreadable: readonly { readonly name: string; readonly reason: string }[];
}

interface ChooseOrder extends SkillWish {
  readonly reader: SkillReader;
  readonly read: ReadServerSkill;
}

export const chooseSkill = async (skills: readonly BookSkill[], order: ChooseOrder): Promise<SkillChoice> => {
  let usable = usableSkills(skills, order);
  const unreadable: { name: string; reason: string }[] = [];
  for (;;) {
    const match = matchSkill(usable, order);
    const remote = match?.skill.remote ?? null;
    if (match === null || remote === null) return { match, unreadable };
    const { name } = match.skill;
    try {
      const body = await readRemoteBody(order.read, { ...order, name, remote });
      return { match: { ...match, skill: { ...match.skill, body } }, unreadable };
    } catch (error) {
      const { message: reason } = unlessGrave(error);
      if (order.explicit !== null) throw notNow(name, reason);
      unreadable.push({ name, reason });
      usable = usable.filter(({ server }) => server !== remote.provider);
    }
  }
};

/** Those that can be used now. Refusal `bad_request` where the one that is asked for cannot. */
export const usableSkills = (skills: readonly BookSkill[], { explicit }: SkillWish): readonly BookSkill[] => {
  const asked = typeof explicit === "string" ? named(skills, explicit) : undefined;
  if (asked !== undefined && asked.reason !== null) throw notNow(asked.name, asked.reason);
  return skills.filter(({ reason }) => reason === null);
};

/** What is no matter of this one skill ends the message. */
const unlessGrave = (error: unknown): Refusal => {
  if (!(error instanceof Refusal) || error.kind === "evidence_unavailable") throw error;
  return error;
};

const notNow = (name: string, reason: string): Refusal =>
  new Refusal("bad_request", {
    message: `The skill ${quoted(name)} cannot be used now. ${reason}`,
    next: "Do what it says, ask for another skill, or leave skill out of the request.",
    details: { skill: name },
  });
