/**
 * The skills of several directories, in load order. What did not change on disk is not read again; a folder that is no
 * usable skill is a defect, and never keeps the others from being served. A skill package is none.
 */
import { EMPTY_CATALOGUE, type Catalogue } from "../kernel/provider.ts";
import { buildSkill } from "./build-skill.ts";
import { findFolders, type Folder } from "./find-folders.ts";
import { listFiles } from "./list-files.ts";
import { classifyFolder } from "./packages/classify-folder.ts";
import type { Child, Skill, SkillFile } from "./skill.ts";
import { SkillDefect, systemReason } from "./skill-defect.ts";
import { SKILL_LIMITS } from "./skill-limits.ts";

/** Everything that is served at one moment. */
export interface Shelf {
  readonly catalogue: Catalogue;
  readonly skills: ReadonlyMap<string, Skill>;
  readonly files: ReadonlyMap<string, SkillFile>;
  readonly folders: ReadonlyMap<string, readonly Child[]>;
}

export const EMPTY_SHELF: Shelf = {
  catalogue: EMPTY_CATALOGUE,
  skills: new Map(),
  files: new Map(),
  folders: new Map(),
};

/** What a folder was found to be: a skill, or why it is none; null: a package, which is served as tools. */
interface Finding {
  readonly mark: string;
  readonly found: Skill | string | null;
}

export class SkillLibrary {
  #known = new Map<string, Finding>();

  /** Reads this folder again, whatever its marks say. */
  forget(root: string): void {
    this.#known.delete(root);
  }

  async load(dirs: readonly string[]): Promise<Shelf> {
    const defects: string[] = [];
    const known = new Map<string, Finding>();
    const skills = new Map<string, Skill>();
    for (const dir of dirs) {
      for (const folder of await findFolders(dir, defects)) {
        if (known.size >= SKILL_LIMITS.skills && !known.has(folder.root)) {
          defects.push(`${folder.path} and what follows is beyond ${SKILL_LIMITS.skills} skills: take some out.`);
          break;
        }
        const finding = known.get(folder.root) ?? (await this.#look(folder));
        known.set(folder.root, finding);
        if (typeof finding.found === "string") defects.push(finding.found);
        else if (finding.found !== null) place(finding.found, skills, defects);
      }
    }
    this.#known = known;
    // One folder may be in several directories.
    return shelfOf([...skills.values()], [...new Set(defects)]);
  }

  async #look(folder: Folder): Promise<Finding> {
    let mark = "";
    try {
      const { files, mark: now } = await listFiles(folder.root);
      mark = now;
      const before = this.#known.get(folder.root);
      if (before?.mark === mark) return before;
      if (await isPackage(folder)) return { mark, found: null };
      return { mark, found: await buildSkill(folder, files) };
    } catch (error) {
      if (await isPackage(folder)) return { mark: "", found: null };
      return { mark, found: `${folder.path} is not served as a skill: ${reasonOf(error)}` };
    }
  }
}

const isPackage = async ({ root }: Folder): Promise<boolean> => (await classifyFolder(root)) === "package";

/** A later one of the same name takes the earlier one's place. */
const place = (skill: Skill, skills: Map<string, Skill>, defects: string[]): void => {
  const { name, folder, warnings } = skill;
  const earlier = skills.get(name);
  if (earlier !== undefined && earlier !== skill) {
    defects.push(`skill ${name}: ${folder} replaces ${earlier.folder}; rename one of them to have both.`);
  }
  defects.push(...warnings);
  skills.set(name, skill);
};

const reasonOf = (error: unknown): string => {
  if (error instanceof SkillDefect) return error.message;
  const reason = systemReason(error);
  if (reason === null) throw error;
  return `a file of it cannot be read (${reason}): let the host's user read it.`;
};

const shelfOf = (skills: readonly Skill[], defects: readonly string[]): Shelf => {
  if (skills.length === 0) return { ...EMPTY_SHELF, catalogue: { ...EMPTY_CATALOGUE, defects } };
  return {
    catalogue: {
      ...EMPTY_CATALOGUE,
      resources: skills.map(({ resource }) => resource),
      skills: skills.map(({ listed }) => listed),
      directories: true,
      defects,
    },
    skills: new Map(skills.map((skill) => [skill.listed.uri, skill])),
    files: new Map(skills.flatMap(({ files }) => files.map((file) => [file.uri, file] as const))),
    folders: new Map(skills.flatMap(({ folders }) => [...folders])),
  };
};
