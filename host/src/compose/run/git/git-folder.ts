/**
 * The folder of a repository, read as files: git is not run, so that nothing a repository configures (hooks, filters, helpers)
 * ever runs, and no object comes from elsewhere. Nothing outside the root is opened, whatever the repository says or links to.
 */
import { constants } from "node:fs";
import { lstat, open, readdir, realpath, type FileHandle } from "node:fs/promises";
import { join, relative, resolve, sep } from "node:path";
import { generationFailed } from "../../generators/generation.ts";

const FILE = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
const ABSENT = new Set(["ENOENT", "ENOTDIR", "ELOOP", "ENXIO", "ENAMETOOLONG"]);
const MAX_POINTER = 4_096;

const orNull = (error: unknown): null => {
  if (ABSENT.has((error as NodeJS.ErrnoException).code ?? "")) return null;
  throw error;
};

/** Null: no plain file is at this real path. The caller closes it. */
const openPlain = async (path: string): Promise<FileHandle | null> => {
  const file = await open(path, FILE).catch(orNull);
  if (file === null) return null;
  const [opened, real, there] = await Promise.all([
    file.stat(),
    realpath(path).catch(orNull),
    lstat(path).catch(orNull),
  ]);
  // Reached without a link, and what was opened is what lies there.
  if (opened.isFile() && real === path && there?.ino === opened.ino && there.dev === opened.dev) return file;
  await file.close();
  return null;
};

export class GitFolder {
  /** Real, and below the root. */
  readonly #path: string;

  constructor(path: string) {
    this.#path = path;
  }

  /** `name`: checked before, with `/` between its parts. Null: there is none. */
  open(name: string): Promise<FileHandle | null> {
    return openPlain(join(this.#path, name));
  }

  /** Null: there is none. */
  async read(name: string, maxBytes: number): Promise<Buffer | null> {
    const file = await this.open(name);
    if (file === null) return null;
    try {
      const { size } = await file.stat();
      if (size > maxBytes) throw generationFailed(`The repository has a file ${name} of more than ${maxBytes} bytes`);
      return await readAt(file, 0, size);
    } finally {
      await file.close();
    }
  }

  /** Sorted; none where there is no such folder. */
  async list(name: string): Promise<readonly string[]> {
    const path = join(this.#path, name);
    if ((await realpath(path).catch(orNull)) !== path) return [];
    return ((await readdir(path).catch(orNull)) ?? []).toSorted();
  }
}

/** So many bytes, or as many as there are. */
export const readAt = async (file: FileHandle, position: number, length: number): Promise<Buffer> => {
  const bytes = Buffer.alloc(length);
  let filled = 0;
  while (filled < length) {
    const { bytesRead } = await file.read(bytes, filled, length - filled, position + filled);
    if (bytesRead === 0) break;
    filled += bytesRead;
  }
  return bytes.subarray(0, filled);
};

/** What a file such as `.git` or `commondir` points to, where that is below the root. */
const follow = async (root: string, from: string, pointer: string): Promise<string> => {
  const path = await realpath(resolve(from, pointer)).catch(orNull);
  const below = path === null ? ".." : relative(root, path);
  if (path === null || below === ".." || below.startsWith(`..${sep}`) || resolve(root, below) !== path)
    throw generationFailed("The repository of the root lies elsewhere, and nothing outside a root is read");
  return path;
};

const readPointer = async (path: string): Promise<string | null> => {
  const file = await openPlain(path);
  if (file === null) return null;
  try {
    return (await readAt(file, 0, MAX_POINTER)).toString().trim();
  } finally {
    await file.close();
  }
};

export interface Repository {
  /** Where its HEAD is. */
  readonly own: GitFolder;
  /** Where its branches, tags and objects are; the same but for a further working tree. */
  readonly common: GitFolder;
}

/** Null: the root has no repository of its own. */
export const findRepository = async (root: string): Promise<Repository | null> => {
  const real = await realpath(root).catch(orNull);
  if (real === null) return null;
  const at = join(real, ".git");
  const found = await lstat(at).catch(orNull);
  if (found === null) return null;
  const [, pointer] = found.isFile() ? (/^gitdir: (.+)$/.exec((await readPointer(at)) ?? "") ?? []) : [undefined, "."];
  if (pointer === undefined) throw generationFailed("The .git file of the root cannot be read");
  const own = await follow(real, found.isFile() ? real : at, pointer);
  const elsewhere = await readPointer(join(own, "commondir"));
  const common = elsewhere === null ? own : await follow(real, own, elsewhere);
  return { own: new GitFolder(own), common: new GitFolder(common) };
};
