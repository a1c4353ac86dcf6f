/**
 * The files of one skill, and a mark that is another one as soon as any of them is. Nothing is opened. Names that begin with
 * a dot are left out. A link counts as the file it leads to, if that lies in the same folder; whatever else is no plain file
 * makes the whole folder unfit.
 */
import type { BigIntStats } from "node:fs";
import { lstat, opendir, realpath, stat } from "node:fs/promises";
import { join, sep } from "node:path";
import { SkillDefect } from "./skill-defect.ts";
import { SKILL_LIMITS } from "./skill-limits.ts";

export interface FoundFile {
  /** Below the folder, with `/`. */
  readonly path: string;
  /** Where it really lies. */
  readonly at: string;
}

export interface FoundFiles {
  readonly files: readonly FoundFile[];
  readonly mark: string;
}

/** Throws SkillDefect. */
export const listFiles = async (root: string): Promise<FoundFiles> => {
  const walk = new Walk(root);
  await walk.into("", 0);
  return { files: walk.files, mark: walk.marks.join("\n") };
};

class Walk {
  readonly files: FoundFile[] = [];
  readonly marks: string[] = [];
  readonly #root: string;
  #bytes = 0n;
  #seen = 0;

  constructor(root: string) {
    this.#root = root;
  }

  async into(below: string, depth: number): Promise<void> {
    if (depth > SKILL_LIMITS.depth) throw new SkillDefect(`${below} lies too deep: move it up.`);
    const names: string[] = [];
    for await (const { name } of await opendir(join(this.#root, below))) {
      if (name.startsWith(".")) continue;
      this.#count();
      names.push(name);
    }
    for (const name of names.toSorted()) await this.#visit(below === "" ? name : `${below}/${name}`, depth);
  }

  async #visit(path: string, depth: number): Promise<void> {
    const named = join(this.#root, path);
    const own = await lstat(named, { bigint: true });
    if (own.isDirectory()) {
      this.marks.push(`${path}/`);
      return this.into(path, depth + 1);
    }
    const at = own.isSymbolicLink() ? await this.#follow(path, named) : named;
    const found = own.isSymbolicLink() ? await stat(at, { bigint: true }) : own;
    if (!found.isFile()) throw new SkillDefect(`${path} is neither a file nor a folder: take it out.`);
    this.#bytes += found.size;
    if (this.#bytes > SKILL_LIMITS.bytes) {
      throw new SkillDefect(`its files have more than ${SKILL_LIMITS.bytes} bytes together: take some out.`);
    }
    this.files.push({ path, at });
    this.marks.push(`${path}:${markOf(found)}`);
    return undefined;
  }

  async #follow(path: string, named: string): Promise<string> {
    const at = await realpath(named);
    if (!at.startsWith(this.#root + sep)) {
      throw new SkillDefect(`${path} is a link that leads out of the folder: put the file itself there.`);
    }
    return at;
  }

  #count(): void {
    if (++this.#seen > SKILL_LIMITS.files) {
      throw new SkillDefect(`it has more than ${SKILL_LIMITS.files} files and folders: take some out.`);
    }
  }
}

const markOf = ({ dev, ino, size, mtimeNs, ctimeNs }: BigIntStats): string =>
  [dev, ino, size, mtimeNs, ctimeNs].join(":");
