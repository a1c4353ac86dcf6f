/** `capabilities://skills`: skills and skill packages with their capabilities and what is wrong with them. Pure. */
import type { SkillSeen } from "../kernel/skill-admin.ts";
import { skillRow } from "../kernel/skill-row.ts";

export const skillsDocument = (skills: readonly SkillSeen[], version: string): object => ({
  skills: skills.map(entryOf),
  metadata: { total_count: skills.length, version },
});

/** Of a skill only what the format names: a package's detail has more. */
const entryOf = (skill: SkillSeen): object => {
  const { name, kind, type, priority, description, source, server, tools, allowed_tools, diagnostics } = skill;
  const { required_capabilities, missing_capabilities, state, available, reason } = skillRow(skill);
  return {
    name,
    kind,
    type,
    priority,
    description,
    source,
    ...(server === undefined ? {} : { server }),
    tools,
    ...(allowed_tools === undefined ? {} : { allowed_tools }),
    required_capabilities,
    missing_capabilities,
    state,
    available,
    ...(reason === undefined ? {} : { reason }),
    diagnostics,
  };
};
