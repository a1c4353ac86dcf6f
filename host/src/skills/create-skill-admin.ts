/** Skills and packages of one workspace as people look at them, in load order: packages, then skills. */
import { dirname } from "node:path";
import { matchesGlob } from "../kernel/glob.ts";
import { Refusal } from "../kernel/refusal.ts";
import type { PackageDetail, PackageDiagnostic, SkillFilter, SkillSeen } from "../kernel/skill-admin.ts";
import type { SkillViewer } from "../kernel/skill-viewer.ts";
import type { Packages } from "./packages/create-packages.ts";
import type { SkillDir } from "./packages/package-library.ts";
import { readAllowedTools } from "./read-allowed-tools.ts";
import { seenBy } from "./seen-by.ts";
import type { Skill } from "./skill.ts";
import { unionRequirements, type ToolRequirement } from "./union-requirements.ts";

export interface SkillAdminOptions {
  readonly packages: Packages;
  readonly skills: { served(): readonly Skill[] };
  readonly dirs: () => readonly SkillDir[];
  /** Of every tool of the workspace, as the gate sees it now. */
  readonly requirements: () => readonly ToolRequirement[];
}

/** `SkillAdmin` for one workspace. */
export interface WorkspaceSkills {
  list(viewer: SkillViewer, filter?: SkillFilter): readonly SkillSeen[];
  get(viewer: SkillViewer, name: string): SkillSeen | PackageDetail | null;
  accept(name: string, digest: string, by: string): Promise<PackageDetail>;
}

export const createSkillAdmin = (options: SkillAdminOptions): WorkspaceSkills => {
  const { packages } = options;
  const byName = (): ReadonlyMap<string, ToolRequirement> =>
    new Map(options.requirements().map((each) => [each.flat, each]));
  return {
    list: (viewer, filter = {}) => {
      const requirements = byName();
      const all = [...packages.seen(requirements), ...skillRows(options, requirements)];
      return all.flatMap((row) => seenBy(viewer, row, requirements) ?? []).filter((row) => isWanted(row, filter));
    },
    get: (viewer, name) => {
      const requirements = byName();
      const found =
        packages.detail(name, requirements) ?? skillRows(options, requirements).find((row) => row.name === name);
      return found === undefined ? null : seenBy(viewer, found, requirements);
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

const skillRows = ({ packages, skills, dirs }: SkillAdminOptions, requirements: Requirements): readonly SkillSeen[] => {
  const sources = new Map(dirs().map(({ path, source }) => [path, source]));
  const notes = packages.notes();
  const served = skills.served();
  const roots = new Set(served.map(rootOf));
  return [
    ...served.map((skill) => {
      const source = sources.get(dirname(skill.folder)) ?? "skills";
      return rowOf(skill, requirements, { source, diagnostics: notes.get(rootOf(skill)) ?? [] });
    }),
    ...[...notes].filter(([root]) => !roots.has(root)).map(([, found]) => unserved(found)),
  ];
};

const rowOf = (
  skill: Skill,
  requirements: Requirements,
  { source, diagnostics }: Pick<SkillSeen, "source" | "diagnostics">,
): SkillSeen => {
  const allowed = readAllowedTools(frontMatterOf(skill));
  const tools = allowed === null ? [] : [...requirements.values()].filter(({ flat }) => isAllowed(allowed, flat));
  return {
    name: skill.name,
    kind: "skill",
    description: descriptionOf(skill),
    source,
    dcc: null,
    tools: tools.map(({ flat }) => flat),
    ...(allowed === null ? {} : { allowed_tools: allowed }),
    ...unionRequirements(tools),
    state: "ready",
    reason: null,
    diagnostics,
  };
};

/** A folder about which there is something to say, though not even its text is served. */
const unserved = (diagnostics: readonly PackageDiagnostic[]): SkillSeen => ({
  name: diagnostics[0]?.package ?? "",
  kind: "skill",
  description: "",
  source: "skills",
  dcc: null,
  tools: [],
  required_capabilities: [],
  missing_capabilities: [],
  state: "broken",
  reason: "It is served neither as a skill nor as a package: run bailiwick doctor.",
  diagnostics,
});

const isAllowed = (globs: readonly string[], flat: string): boolean => globs.some((glob) => matchesGlob(glob, flat));

const frontMatterOf = ({ listed }: Skill): Readonly<Record<string, unknown>> =>
  (listed.value["frontmatter"] ?? {}) as Record<string, unknown>;

const descriptionOf = (skill: Skill): string => {
  const { description } = frontMatterOf(skill);
  return typeof description === "string" ? description : "";
};

const rootOf = ({ files }: Skill): string => files[0]?.folder ?? "";

const gone = (name: string): Refusal =>
  new Refusal("not_found", {
    message: `There is no skill package ${JSON.stringify(name.slice(0, 64))} in this workspace any more.`,
    next: "List them: bailiwick skill list",
  });
