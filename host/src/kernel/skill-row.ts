/** A skill in a list that goes out to people and programs. */
import type { SkillSeen } from "./skill-admin.ts";

export type SkillRow<Skill extends SkillSeen = SkillSeen> = Omit<Skill, "reason"> & {
  /** Nothing keeps it back but, perhaps, `missing_capabilities`. */
  readonly available: boolean;
  readonly reason?: string;
};

export const skillRow = <Skill extends SkillSeen>({ reason, ...skill }: Skill): SkillRow<Skill> => ({
  ...skill,
  available: skill.state === "ready",
  ...(reason === null ? {} : { reason }),
});
