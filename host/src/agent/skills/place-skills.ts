/** A later skill stands in for an earlier one of its name, in the earlier one's position. Pure. */
export const placeSkills = <Skill extends { readonly name: string; readonly path: string }>(
  found: readonly Skill[],
): { readonly skills: readonly Skill[]; readonly warnings: readonly string[] } => {
  const skills = new Map<string, Skill>();
  const warnings: string[] = [];
  for (const skill of found) {
    const key = skill.name.normalize("NFC");
    const earlier = skills.get(key);
    // The same directory may be given twice.
    if (earlier !== undefined && earlier.path !== skill.path) {
      warnings.push(`skill ${skill.name}: ${skill.path} replaces ${earlier.path}; rename one of them to have both.`);
    }
    skills.set(key, skill);
  }
  return { skills: [...skills.values()], warnings };
};
