/** A skill in a list that goes out to people and programs. */
import type { SkillSeen } from "./skill-admin.ts";

/** Folders with a `SKILL.md` are all of this type; priority only orders skills of another one. */
const TYPE = "skill";
const PRIORITY = 50;

export type SkillRow<Skill extends SkillSeen = SkillSeen> = Omit<Skill, "reason"> & {
  readonly type: "skill";
  readonly priority: number;
  /** Nothing keeps it back but, perhaps, `missing_capabilities`. */
  readonly available: boolean;
  readonly reason?: string;
};

export const skillRow = <Skill extends SkillSeen>({ reason, ...skill }: Skill): SkillRow<Skill> => ({
  ...skill,
  type: TYPE,
  priority: PRIORITY,
  available: skill.state === "ready",
  ...(reason === null ? {} : { reason }),
});
