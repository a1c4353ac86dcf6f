/**
 * The files of one package: what there is, a mark that is another one as soon as any of them is, and one digest over all.
 * Links are not followed: where each leads is part of the digest, and what it leads to is a file of the package or of no
 * use. Only what a version control keeps at the top of a package is left out.
 */
import { createHash } from "node:crypto";
import type { BigIntStats } from "node:fs";
import { lstat, opendir, readlink } from "node:fs/promises";
import { join } from "node:path";
import { readBytes } from "../read-bytes.ts";
import { SkillDefect, systemReason } from "../skill-defect.ts";
import { SKILL_LIMITS } from "../skill-limits.ts";
import type { PackageFile, PackageLink } from "./find-script.ts";

interface SeenFile extends PackageFile {
  readonly size: number;
}

export interface SeenFiles {
  readonly root: string;
  readonly files: readonly SeenFile[];
  readonly links: readonly PackageLink[];
  /** Neither file nor folder nor link. */
  readonly odd: readonly string[];
  readonly mark: string;
  /** When a file was last changed could be told too coarsely: the same mark may stand for something else. */
  readonly isFresh: boolean;
}

export interface HashedFiles {
  /** `sha256:<hex>` over all paths and digests. */
  readonly digest: string;
  /** Of each by itself, in the order of their paths. */
  readonly digests: ReadonlyMap<string, string>;
  /** Bytes of those that were asked for. */
  readonly kept: ReadonlyMap<string, Buffer>;
}

/** At the top of a package. */
export const LEFT_OUT: ReadonlySet<string> = new Set([".git", ".hg", ".svn", ".DS_Store"]);
const MAX_TRIES = 8;
const MOVED = new Set(["ENOENT", "ENOTDIR", "EINVAL", "ELOOP"]);
const FRESH_MS = 100;
const ANY_EXECUTE = 0o111n;

/** Throws SkillDefect. Opens nothing. */
export const seeFiles = (root: string): Promise<SeenFiles> => againWhileMoving(() => seeOnce(root));

/** What vanishes while it is looked at, such as the file that an editor keeps beside another one, is no fault of the package. */
export const againWhileMoving = async <T>(look: () => Promise<T>): Promise<T> => {
  for (let tries = 1; ; tries++) {
    try {
      return await look();
    } catch (error) {
      if (tries === MAX_TRIES || !MOVED.has(systemReason(error) ?? "")) throw error;
    }
  }
};

const seeOnce = async (root: string): Promise<SeenFiles> => {
  const walk = new Walk(root);
  const started = Date.now();
  await walk.into("", 0);
  const { files, links, odd, marks, newest } = walk;
  return { root, files, links, odd, mark: marks.join("\n"), isFresh: newest > started - FRESH_MS };
};

/** Throws SkillDefect. */
export const hashFiles = async (seen: SeenFiles, isWanted: (path: string) => boolean): Promise<HashedFiles> => {
  const kept = new Map<string, Buffer>();
  let left: number = SKILL_LIMITS.bytes;
  const rows: (readonly [string, () => Promise<string>])[] = [
    ...seen.links.map(({ path, target }) => [path, async () => digestOf(["link", target])] as const),
    ...seen.odd.map((path) => [path, async () => digestOf(["odd"])] as const),
    ...seen.files.map(({ path, executable }) => {
      const read = async (): Promise<string> => {
        const bytes = await readBytes(join(seen.root, path), left).catch(unnamed(path));
        left -= bytes.length;
        if (isWanted(path)) kept.set(path, bytes);
        return digestOf([executable ? "program" : "file", bytes]);
      };
      return [path, read] as const;
    }),
  ];
  const digests = new Map<string, string>();
  for (const [path, read] of rows.toSorted(([a], [b]) => (a < b ? -1 : 1))) digests.set(path, await read());
  return { digest: digestOf([...digests].flat()), digests, kept };
};

/** Each with its length, so that no two lists give the same text. */
const digestOf = (parts: readonly (string | Buffer)[]): string => {
  const hash = createHash("sha256");
  for (const part of parts) hash.update(`${Buffer.byteLength(part)}:`).update(part);
  return `sha256:${hash.digest("hex")}`;
};

/** A defect names the file as the package does. */
const unnamed =
  (path: string) =>
  (error: unknown): never => {
    if (error instanceof SkillDefect) throw new SkillDefect(`${path} was changed while it was read, or is too large.`);
    throw error;
  };

class Walk {
  readonly files: SeenFile[] = [];
  readonly links: PackageLink[] = [];
  readonly odd: string[] = [];
  readonly marks: string[] = [];
  newest = 0;
  readonly #root: string;
  #bytes = 0n;
  #count = 0;

  constructor(root: string) {
    this.#root = root;
  }

  async into(below: string, depth: number): Promise<void> {
    if (depth > SKILL_LIMITS.depth) throw new SkillDefect(`${below} lies too deep: move it up.`);
    const names: string[] = [];
    for await (const { name } of await opendir(join(this.#root, below))) {
      if (depth === 0 && LEFT_OUT.has(name)) continue;
      if (++this.#count > SKILL_LIMITS.files) {
        throw new SkillDefect(`it has more than ${SKILL_LIMITS.files} files and folders: take some out.`);
      }
      names.push(name);
    }
    const paths = names.toSorted().map((name) => (below === "" ? name : `${below}/${name}`));
    const found = await Promise.all(paths.map((path) => lstat(join(this.#root, path), { bigint: true })));
    for (const [i, path] of paths.entries()) await this.#visit(path, found[i] as BigIntStats, depth);
  }

  async #visit(path: string, found: BigIntStats, depth: number): Promise<void> {
    this.marks.push(`${path}:${markOf(found)}`);
    if (found.isDirectory()) return this.into(path, depth + 1);
    this.newest = Math.max(this.newest, Number(found.ctimeMs));
    if (found.isSymbolicLink()) this.links.push({ path, target: await readlink(join(this.#root, path)) });
    else if (found.isFile()) this.#file(path, found);
    else this.odd.push(path);
    return undefined;
  }

  #file(path: string, { size, mode }: BigIntStats): void {
    this.#bytes += size;
    if (this.#bytes > SKILL_LIMITS.bytes) {
      throw new SkillDefect(`its files have more than ${SKILL_LIMITS.bytes} bytes together: take some out.`);
    }
    this.files.push({ path, size: Number(size), executable: (mode & ANY_EXECUTE) !== 0n });
  }
}

/** Of a folder only that it is one: what is in it has marks of its own. */
const markOf = (found: BigIntStats): string => {
  if (found.isDirectory()) return "/";
  const { dev, ino, mode, size, mtimeNs, ctimeNs } = found;
  return [dev, ino, mode, size, mtimeNs, ctimeNs].join(":");
};
