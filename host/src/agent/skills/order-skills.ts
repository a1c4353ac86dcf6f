/** The load order: directories as they are given; in each the files, then the folders, by name. Pure. */
import { join } from "node:path";

export interface SkillListing {
  readonly path: string;
  /** Of which kind the directory is, for people. */
  readonly source: string;
  /** Names of Markdown files. */
  readonly files: readonly string[];
  /** Names of folders. */
  readonly folders: readonly string[];
}

export interface SkillPlace {
  /** Of the file to be read. */
  readonly path: string;
  /** Of the folder that it is the `SKILL.md` of; null: it stands for itself. */
  readonly folder: string | null;
  readonly source: string;
}

const MANIFEST = "SKILL.md";

export const orderSkills = (listings: readonly SkillListing[]): readonly SkillPlace[] =>
  listings.flatMap(({ path, source, files, folders }) => [
    ...files.toSorted().map((name) => ({ path: join(path, name), folder: null, source })),
    ...folders.toSorted().map((name) => {
      const folder = join(path, name);
      return { path: join(folder, MANIFEST), folder, source };
    }),
  ]);
