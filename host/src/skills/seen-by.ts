/** A skill or package as somebody may see it: what it brings and needs is counted over the tools that are there for them. Pure. */
import { isInScope, mayName } from "../kernel/may-name.ts";
import type { PackageDetail, SkillSeen } from "../kernel/skill-admin.ts";
import type { SkillViewer } from "../kernel/skill-viewer.ts";
import { unionRequirements, type ToolRequirement } from "./union-requirements.ts";

/** Skills that bring no tools are read from this provider. */
const READ_FROM = "skills";
const HIDDEN_REASON = "A tool of it that you may not name cannot be served.";

type Requirements = ReadonlyMap<string, ToolRequirement>;

/** Null: they are not to know of it. */
export const seenBy = <Skill extends SkillSeen | PackageDetail>(
  viewer: SkillViewer,
  skill: Skill,
  requirements: Requirements,
): Skill | null => {
  const { scopes, listed } = viewer;
  // What nobody is listed, because it cannot be served, is judged by its name.
  const isSeen = (flat: string): boolean => (requirements.has(flat) ? listed.has(flat) : isInScope(scopes, flat));
  const tools = skill.tools.filter(isSeen);
  const provider = skill.server ?? (skill.kind === "package" ? skill.name : READ_FROM);
  const isNamed = scopes === null || mayName(scopes, provider);
  if (!isNamed && (skill.kind === "skill" || tools.length === 0)) return null;
  const hidden = skill.diagnostics.filter(
    (each) => each.tool !== undefined && !isSeen(`${each.package}__${each.tool}`),
  );
  if (tools.length === skill.tools.length && hidden.length === 0) return skill;
  return {
    ...skill,
    tools,
    ...unionRequirements(tools.flatMap((flat) => requirements.get(flat) ?? [])),
    reason: hidden.some(({ message }) => message === skill.reason) ? HIDDEN_REASON : skill.reason,
    diagnostics: skill.diagnostics.filter((each) => !hidden.includes(each)),
    ...("groups" in skill && { groups: groupsSeen(skill, isSeen) }),
  };
};

const groupsSeen = ({ name, groups }: PackageDetail, isSeen: (flat: string) => boolean): PackageDetail["groups"] =>
  groups.flatMap((group) => {
    const tools = group.tools.filter((tool) => isSeen(`${name}__${tool}`));
    return tools.length === 0 && group.tools.length > 0 ? [] : [{ ...group, tools }];
  });
