/** `capabilities://skills`: skills and skill packages with their capabilities and what is wrong with them. Pure. */
import type { SkillSeen } from "../kernel/skill-admin.ts";

export const skillsDocument = (skills: readonly SkillSeen[], version: string): object => ({
  skills: skills.map(entryOf),
  metadata: { total_count: skills.length, version },
});

/** Of a skill only what the format names: a package's detail has more. */
const entryOf = (skill: SkillSeen): object => {
  const { name, kind, description, source, tools, allowed_tools, state, diagnostics } = skill;
  const { required_capabilities, missing_capabilities } = skill;
  return {
    name,
    kind,
    description,
    source,
    tools,
    ...(allowed_tools === undefined ? {} : { allowed_tools }),
    required_capabilities,
    missing_capabilities,
    state,
    diagnostics,
  };
};
