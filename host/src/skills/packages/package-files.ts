/**
 * The files of one package: what there is, a mark that is another one as soon as any of them is, and one digest over all.
 * Links are not followed: where each leads is part of the digest, and what it leads to is a file of the package or of no
 * use. Only what a version control keeps beside a package is left out.
 */
import { createHash, type Hash } from "node:crypto";
import type { BigIntStats } from "node:fs";
import { lstat, opendir, readlink } from "node:fs/promises";
import { join } from "node:path";
import { readBytes } from "../read-bytes.ts";
import { SkillDefect } from "../skill-defect.ts";
import { SKILL_LIMITS } from "../skill-limits.ts";
import type { PackageFile } from "./find-script.ts";

interface SeenFile extends PackageFile {
  readonly size: number;
}

export interface SeenFiles {
  readonly root: string;
  readonly files: readonly SeenFile[];
  readonly links: readonly { readonly path: string; readonly target: string }[];
  /** Neither file nor folder nor link. */
  readonly odd: readonly string[];
  readonly mark: string;
  /** When a file was last changed could be told too coarsely: the same mark may stand for something else. */
  readonly isFresh: boolean;
}

export interface HashedFiles {
  /** `sha256:<hex>` */
  readonly digest: string;
  /** Bytes of those that were asked for. */
  readonly kept: ReadonlyMap<string, Buffer>;
}

const LEFT_OUT = new Set([".git", ".hg", ".svn", ".DS_Store"]);
const FRESH_MS = 100;
const ANY_EXECUTE = 0o111n;

/** Throws SkillDefect. Opens nothing. */
export const seeFiles = async (root: string): Promise<SeenFiles> => {
  const walk = new Walk(root);
  const started = Date.now();
  await walk.into("", 0);
  const { files, links, odd, marks, newest } = walk;
  return { root, files, links, odd, mark: marks.join("\n"), isFresh: newest > started - FRESH_MS };
};

/** Throws SkillDefect. */
export const hashFiles = async (seen: SeenFiles, isWanted: (path: string) => boolean): Promise<HashedFiles> => {
  const hash = createHash("sha256");
  const kept = new Map<string, Buffer>();
  let left: number = SKILL_LIMITS.bytes;
  const rows: (readonly [string, () => Promise<void>])[] = [
    ...seen.links.map(({ path, target }) => [path, async () => put(hash, ["link", path, target])] as const),
    ...seen.odd.map((path) => [path, async () => put(hash, ["odd", path])] as const),
    ...seen.files.map(({ path, executable }) => {
      const add = async (): Promise<void> => {
        const bytes = await readBytes(join(seen.root, path), left).catch(unnamed(path));
        left -= bytes.length;
        if (isWanted(path)) kept.set(path, bytes);
        put(hash, [executable ? "program" : "file", path, bytes]);
      };
      return [path, add] as const;
    }),
  ];
  for (const [, add] of rows.toSorted(([a], [b]) => (a < b ? -1 : 1))) await add();
  return { digest: `sha256:${hash.digest("hex")}`, kept };
};

/** Each with its length, so that no two lists give the same text. */
const put = (hash: Hash, parts: readonly (string | Buffer)[]): void => {
  for (const part of parts) hash.update(`${Buffer.byteLength(part)}:`).update(part);
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
  readonly links: { path: string; target: string }[] = [];
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
      if (LEFT_OUT.has(name)) continue;
      if (++this.#count > SKILL_LIMITS.files) {
        throw new SkillDefect(`it has more than ${SKILL_LIMITS.files} files and folders: take some out.`);
      }
      names.push(name);
    }
    for (const name of names.toSorted()) await this.#visit(below === "" ? name : `${below}/${name}`, depth);
  }

  async #visit(path: string, depth: number): Promise<void> {
    const named = join(this.#root, path);
    const found = await lstat(named, { bigint: true });
    this.marks.push(`${path}:${markOf(found)}`);
    if (found.isDirectory()) return this.into(path, depth + 1);
    this.newest = Math.max(this.newest, Number(found.ctimeMs));
    if (found.isSymbolicLink()) this.links.push({ path, target: await readlink(named) });
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
