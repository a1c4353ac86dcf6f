/** Skills and packages of one workspace as people look at them: packages, then skills, each in load order. */
import { matchesGlob } from "../kernel/glob.ts";
import type { Principal } from "../kernel/principal.ts";
import { Refusal } from "../kernel/refusal.ts";
import type { PackageDetail, PackageDiagnostic, SkillAdmin, SkillFilter, SkillSeen } from "../kernel/skill-admin.ts";
import type { ShelvedSkill, ShelveSkills } from "../kernel/skill-shelf.ts";
import type { SkillViewer } from "../kernel/skill-viewer.ts";
import type { Packages } from "./packages/create-packages.ts";
import { seenBy } from "./seen-by.ts";
import { unionRequirements, type ToolRequirement } from "./union-requirements.ts";

export interface SkillAdminOptions {
  readonly packages: Packages;
  readonly shelve: ShelveSkills;
  /** Of every tool of the workspace, as the gate sees it now. */
  readonly requirements: () => readonly ToolRequirement[];
  readonly viewerOf: (principal: Principal) => SkillViewer;
}

/** `SkillAdmin` for one workspace. */
export interface WorkspaceSkills extends Pick<SkillAdmin, "list" | "get"> {
  accept(name: string, digest: string, by: string): Promise<PackageDetail>;
}

export const createSkillAdmin = (options: SkillAdminOptions): WorkspaceSkills => {
  const { packages, shelve, viewerOf } = options;
  const byName = (): ReadonlyMap<string, ToolRequirement> =>
    new Map(options.requirements().map((each) => [each.flat, each]));
  return {
    list: async (principal, filter = {}) => {
      const { skills, warnings } = await shelve(principal);
      const [requirements, viewer] = [byName(), viewerOf(principal)];
      const all = [...packageRows(packages, skills, requirements), ...skillRows(packages, skills, requirements)];
      const seen = all.flatMap((row) => seenBy(viewer, row, requirements) ?? []);
      return { skills: seen.filter((row) => isWanted(row, filter)), warnings };
    },
    get: async (principal, name) => {
      const { skills } = await shelve(principal);
      const requirements = byName();
      const detail = packages.detail(name, requirements);
      const found =
        detail === null
          ? skillRows(packages, skills, requirements).find((row) => row.name === name)
          : placed(detail, skills);
      return found === undefined ? null : seenBy(viewerOf(principal), found, requirements);
    },
    accept: async (name, digest, by) => {
      await packages.accept(name, digest, by);
      const taken = packages.detail(name, byName());
      if (taken === null) throw gone(name);
      return taken;
    },
  };
};

const isWanted = (row: SkillSeen, { satisfied, dcc }: SkillFilter): boolean =>
  (satisfied !== true || (row.state === "ready" && row.missing_capabilities.length === 0)) &&
  (dcc === undefined || row.dcc === dcc);

type Requirements = ReadonlyMap<string, ToolRequirement>;
type Shelf = readonly ShelvedSkill[];

const packageRows = (packages: Packages, skills: Shelf, requirements: Requirements): readonly SkillSeen[] =>
  packages.seen(requirements).map((row) => placed(row, skills));

/** A package with what it is beside its tools, where it is a skill as well. */
const placed = <Row extends SkillSeen>(row: Row, skills: Shelf): Row => {
  const skill = skills.find((each) => each.isPackage && each.name === row.name);
  return skill === undefined ? row : { ...row, type: skill.type, priority: skill.priority };
};

const skillRows = (packages: Packages, skills: Shelf, requirements: Requirements): readonly SkillSeen[] => {
  const notes = packages.notes();
  const shelved = skills.filter(({ isPackage }) => !isPackage);
  const folders = new Set(shelved.map(({ folder }) => folder));
  return [
    ...shelved.map((skill) => rowOf(skill, requirements, notes.get(skill.folder ?? "") ?? [])),
    ...[...notes].filter(([folder]) => !folders.has(folder)).map(([, found]) => unused(found)),
  ];
};

const rowOf = (
  skill: ShelvedSkill,
  requirements: Requirements,
  diagnostics: readonly PackageDiagnostic[],
): SkillSeen => {
  const { name, description, type, priority, source, server, allowedTools, reason } = skill;
  const tools =
    allowedTools === null ? [] : [...requirements.values()].filter(({ flat }) => isAllowed(allowedTools, flat));
  return {
    name,
    kind: "skill",
    type,
    priority,
    description,
    source,
    ...(server === null ? {} : { server }),
    dcc: null,
    tools: tools.map(({ flat }) => flat),
    ...(allowedTools === null ? {} : { allowed_tools: allowedTools }),
    ...unionRequirements(tools),
    state: reason === null ? "ready" : "unavailable",
    reason,
    diagnostics,
  };
};

/** A folder about which there is something to say, though not even its text is used. */
const unused = (diagnostics: readonly PackageDiagnostic[]): SkillSeen => ({
  name: diagnostics[0]?.package ?? "",
  kind: "skill",
  type: "skill",
  priority: DEFAULT_PRIORITY,
  description: "",
  source: "skills",
  dcc: null,
  tools: [],
  required_capabilities: [],
  missing_capabilities: [],
  state: "broken",
  reason: "It is used neither as a skill nor as a package: run bailiwick doctor.",
  diagnostics,
});

const DEFAULT_PRIORITY = 50;

const isAllowed = (globs: readonly string[], flat: string): boolean => globs.some((glob) => matchesGlob(glob, flat));

const gone = (name: string): Refusal =>
  new Refusal("not_found", {
    message: `There is no skill package ${JSON.stringify(name.slice(0, 64))} in this workspace any more.`,
    next: "List them: bailiwick skill list",
  });
