/**
 * The packages of several directories, in load order. What did not change on disk is not read again. A later package of the
 * same name takes the place of an earlier one; a folder that cannot be used never keeps the others from being served.
 */
import { lstat } from "node:fs/promises";
import { join } from "node:path";
import type { PackageDiagnostic } from "../../kernel/skill-admin.ts";
import { findFolders } from "../find-folders.ts";
import { systemReason } from "../skill-defect.ts";
import { SKILL_LIMITS } from "../skill-limits.ts";
import { classifyFolder, TOOLS_FILES } from "./classify-folder.ts";
import { toDiagnostic } from "./diagnostics.ts";
import { seeFiles } from "./package-files.ts";
import { readPackage, unreadable, type FolderReading, type PackageFolder } from "./read-package.ts";
import type { SkillPackage } from "./skill-package.ts";

export interface SkillDir {
  /** Absolute. */
  readonly path: string;
  /** Of which kind it is, for people: no path. */
  readonly source: string;
}

export interface FoundPackages {
  /** By name. */
  readonly packages: ReadonlyMap<string, SkillPackage>;
  /** What is odd about skills that are no packages; by the folder in which they really lie. */
  readonly notes: ReadonlyMap<string, readonly PackageDiagnostic[]>;
}

interface Known {
  readonly mark: string;
  readonly reading: FolderReading;
}

const MAX_DIAGNOSTICS = 200;
const NOTES: FolderReading = { kind: "skill", notes: [] };

export class PackageLibrary {
  #known = new Map<string, Known>();

  async load(dirs: readonly SkillDir[]): Promise<FoundPackages> {
    const known = new Map<string, Known>();
    const packages = new Map<string, SkillPackage>();
    const notes = new Map<string, readonly PackageDiagnostic[]>();
    for (const { path, source } of dirs) {
      // What is wrong with a directory is told with its skills.
      for (const { name, root } of await findFolders(path, [], [...TOOLS_FILES, "SKILL.md"])) {
        if (known.size >= SKILL_LIMITS.skills && !known.has(root)) break;
        const look = known.get(root) ?? (await this.#look({ name, root, source }));
        known.set(root, look);
        const { reading } = look;
        if (reading.kind === "package") place(reading.found, packages);
        else if (reading.notes.length > 0) notes.set(root, reading.notes);
      }
    }
    this.#known = known;
    return { packages, notes };
  }

  async #look(folder: PackageFolder): Promise<Known> {
    const before = this.#known.get(folder.root);
    const { kind, mark: top } = await this.#kindOf(folder.root, before);
    if (kind === "skill") return { mark: top, reading: NOTES };
    try {
      const seen = await seeFiles(folder.root);
      const mark = `${folder.source}\n${seen.mark}`;
      if (before?.mark === mark) return before;
      return { mark: seen.isFresh ? "" : mark, reading: await readPackage(folder, seen) };
    } catch (error) {
      const reading: FolderReading = { kind: "package", found: unreadable(folder, error) };
      return { mark: "", reading: kind === "noted" ? NOTES : reading };
    }
  }

  /** A skill is looked into again when its first page is another one. */
  async #kindOf(
    root: string,
    before: Known | undefined,
  ): Promise<{ readonly kind: "package" | "noted" | "skill"; readonly mark: string }> {
    const mark = (await Promise.all(["SKILL.md", ...TOOLS_FILES].map((name) => markOf(join(root, name))))).join(" ");
    if (before?.mark === mark) return { kind: "skill", mark };
    return { kind: await classifyFolder(root), mark };
  }
}

const markOf = async (file: string): Promise<string> => {
  try {
    const { dev, ino, size, mtimeNs, ctimeNs } = await lstat(file, { bigint: true });
    return [dev, ino, size, mtimeNs, ctimeNs].join(":");
  } catch (error) {
    if (systemReason(error) === null) throw error;
    return "none";
  }
};

/** One that cannot be used leaves the earlier one in its place, and says so there. */
const place = (found: SkillPackage, packages: Map<string, SkillPackage>): void => {
  const { name } = found;
  const earlier = packages.get(name);
  if (earlier === undefined || earlier.dir === found.dir) {
    packages.set(name, found);
    return;
  }
  const keeps = earlier.usable && !found.usable;
  const [kept, other] = keeps ? [earlier, found] : [found, earlier];
  const note = toDiagnostic(name, {
    reason: "invalid_frontmatter_shape",
    place: { pointer: "SKILL.md#/name", line: 1 },
    message: `There is another package of this name (${other.source}), which is not served.`,
    fix: "Rename one of them to have both.",
    warning: true,
  });
  const diagnostics = [...kept.diagnostics, note, ...(keeps ? other.diagnostics : [])];
  packages.set(name, { ...kept, diagnostics: diagnostics.slice(0, MAX_DIAGNOSTICS) });
};
