/**
 * The packages of several directories, in load order. What did not change on disk is not read again. A later package of the
 * same name takes the place of an earlier one; a folder that cannot be used never keeps the others from being served.
 */
import { lstat, realpath } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { PackageDiagnostic } from "../../kernel/skill-admin.ts";
import { findFolders, type Folder } from "../find-folders.ts";
import { systemReason } from "../skill-defect.ts";
import { SKILL_LIMITS } from "../skill-limits.ts";
import { classifyFolder, TOOLS_FILES } from "./classify-folder.ts";
import { quote, toDiagnostic } from "./diagnostics.ts";
import { againWhileMoving, seeFiles } from "./package-files.ts";
import { readPackage, unreadable, type FolderReading, type PackageFolder } from "./read-package.ts";
import { isTextList } from "./shapes.ts";
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
  /** What is odd about skills that are no packages; by their folder, as its directory names it. */
  readonly notes: ReadonlyMap<string, readonly PackageDiagnostic[]>;
}

interface Known {
  readonly mark: string;
  readonly reading: FolderReading;
  readonly folder: PackageFolder;
}

const MAX_DIAGNOSTICS = 200;
const NOT_THERE = new Set(["ENOENT", "ENOTDIR"]);
const NOTES: FolderReading = { kind: "skill", notes: [] };

export class PackageLibrary {
  #known = new Map<string, Known>();

  async load(dirs: readonly SkillDir[]): Promise<FoundPackages> {
    const known = new Map<string, Known>();
    const packages = new Map<string, SkillPackage>();
    const notes = new Map<string, readonly PackageDiagnostic[]>();
    for (const { path, source } of dirs) {
      // What is wrong with a directory is told with its skills.
      const folders = await findFolders(path, [], [...TOOLS_FILES, "SKILL.md"]);
      for (const folder of [...folders, ...(await this.#bare(path, folders))]) {
        const { root } = folder;
        if (known.size >= SKILL_LIMITS.skills && !known.has(root)) break;
        const look = known.get(root) ?? (await this.#look({ ...folder, source, was: this.#nameOf(root) }));
        known.set(root, look);
        const { reading } = look;
        if (reading.kind === "package") place(reading.found, packages);
        else if (reading.notes.length > 0) notes.set(folder.path, reading.notes);
      }
    }
    this.#known = known;
    for (const found of packages.values()) packages.set(found.name, withLackingNote(found, packages));
    return { packages, notes };
  }

  async #look(folder: PackageFolder): Promise<Known> {
    const before = this.#known.get(folder.root);
    const { kind, mark: top } = await this.#kindOf(folder, before);
    if (kind === "skill") return { mark: top, reading: NOTES, folder };
    try {
      return await againWhileMoving(async () => {
        const seen = await seeFiles(folder.root);
        const mark = `${folder.source}\n${seen.mark}`;
        if (before?.mark === mark) return before;
        return { mark: seen.isFresh ? "" : mark, reading: await readPackage(folder, seen), folder };
      });
    } catch (error) {
      const reading: FolderReading = { kind: "package", found: unreadable(folder, error) };
      return { mark: "", reading: kind === "noted" ? NOTES : reading, folder };
    }
  }

  /** Of the package that could be served from there; null: there was none yet. */
  #nameOf(root: string): string | null {
    const { reading, folder } = this.#known.get(root) ?? {};
    if (reading?.kind !== "package") return null;
    return reading.found.usable ? reading.found.name : (folder?.was ?? null);
  }

  /** Folders of such packages that are there still, though nothing in them says so at this moment. */
  async #bare(dir: string, found: readonly Folder[]): Promise<readonly Folder[]> {
    const roots = new Set(found.map(({ root }) => root));
    const lost = [...this.#known.values()].map(({ folder }) => folder).filter(({ root }) => !roots.has(root));
    const here = lost.filter(({ path, root }) => dirname(path) === dir && this.#nameOf(root) !== null);
    const there = await Promise.all(here.map(isThere));
    return here.filter((_, i) => there[i]);
  }

  /** A skill is looked into again when its first page is another one. */
  async #kindOf(
    { root, was }: PackageFolder,
    before: Known | undefined,
  ): Promise<{ readonly kind: "package" | "noted" | "skill"; readonly mark: string }> {
    const mark = (await Promise.all(["SKILL.md", ...TOOLS_FILES].map((name) => markOf(join(root, name))))).join(" ");
    if (before?.mark === mark) return { kind: "skill", mark };
    return { kind: await classifyFolder(root, was !== null), mark };
  }
}

/** What cannot be looked at is not gone. */
const isThere = ({ path, root }: Folder): Promise<boolean> =>
  realpath(path).then(
    (now) => now === root,
    (error: unknown) => !NOT_THERE.has(systemReason(error) ?? ""),
  );

const markOf = async (file: string): Promise<string> => {
  try {
    const { dev, ino, size, mtimeNs, ctimeNs } = await lstat(file, { bigint: true });
    return [dev, ino, size, mtimeNs, ctimeNs].join(":");
  } catch (error) {
    if (systemReason(error) === null) throw error;
    return "none";
  }
};

/** What it depends on is not fetched: it is told that it is not there. */
const withLackingNote = (found: SkillPackage, packages: ReadonlyMap<string, SkillPackage>): SkillPackage => {
  const depends = found.carried["depends"];
  const lacking = isTextList(depends) ? depends.filter((name) => packages.get(name)?.usable !== true) : [];
  if (lacking.length === 0) return found;
  const note = toDiagnostic(found.name, {
    reason: "invalid_frontmatter_shape",
    place: { pointer: "SKILL.md#/metadata/dcc-mcp/depends", line: 1 },
    message: `It depends on packages that are not here or cannot be used: ${lacking.slice(0, 10).map(quote).join(", ")}.`,
    fix: "Put them into a skill directory, or mend them.",
    warning: true,
  });
  return { ...found, diagnostics: [...found.diagnostics, note] };
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
