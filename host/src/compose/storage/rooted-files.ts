/**
 * Files below a root, which others may change at any moment: no link is followed on the way to them. Each folder is opened in
 * the one before it, where the system allows that; elsewhere each step is a path of its own.
 */
import { randomBytes } from "node:crypto";
import { constants, existsSync } from "node:fs";
import { link, mkdir, open, readdir, rename, rm, unlink, type FileHandle } from "node:fs/promises";
import { join } from "node:path";
import { HostError } from "../../kernel/host-error.ts";

const FOLDER = constants.O_RDONLY | constants.O_DIRECTORY;
const FILE = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
/** An open folder as a path: what is put after it is looked for in that very folder. */
const HANDLES = "/proc/self/fd";
const HAS_HANDLES = process.platform === "linux" && existsSync(HANDLES);
const MORE = 4_096;
const ABSENT = new Set(["ENOENT", "ENOTDIR", "ELOOP", "ENXIO", "ENAMETOOLONG"]);

interface Folder {
  readonly handle: FileHandle;
  /** To put a name after. */
  readonly path: string;
}

const asPath = (handle: FileHandle, path: string): string => (HAS_HANDLES ? `${HANDLES}/${handle.fd}` : path);

/** Of names that were checked before, all but impossible ones. */
const namesOf = (path: string): readonly string[] => {
  const names = path.split("/");
  const isBad = (name: string): boolean => ["", ".", ".."].includes(name) || name.includes("\\") || name.includes("\0");
  if (names.some(isBad)) throw new HostError("a path that was not checked came to the files of a root");
  return names;
};

const openFolder = async (root: string, names: readonly string[], make: boolean): Promise<Folder> => {
  let handle = await open(root, FOLDER);
  let path = root;
  try {
    for (const name of names) {
      const step = join(asPath(handle, path), name);
      if (make) await mkdir(step).catch(unlessThere);
      const next = await open(step, FOLDER | constants.O_NOFOLLOW);
      await handle.close();
      handle = next;
      path = join(path, name);
    }
  } catch (error) {
    await handle.close();
    throw error;
  }
  return { handle, path: asPath(handle, path) };
};

const unlessThere = (error: unknown): void => {
  if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
};

const orNull = (error: unknown): null => {
  if (ABSENT.has((error as NodeJS.ErrnoException).code ?? "")) return null;
  throw error;
};

const within = async <T>(folder: Folder, work: (path: string) => Promise<T>): Promise<T> => {
  try {
    return await work(folder.path);
  } finally {
    await folder.handle.close();
  }
};

export interface RootedText {
  readonly text: string;
  readonly modified: Date;
}

/** Null: there is no plain file at this place. FileTooLarge where it is larger than that. */
export const readBelow = async (root: string, path: string, maxBytes: number): Promise<RootedText | null> => {
  const names = namesOf(path);
  const folder = await openFolder(root, names.slice(0, -1), false).catch(orNull);
  if (folder === null) return null;
  return within(folder, async (at) => {
    const file = await open(join(at, names.at(-1)!), FILE).catch(orNull);
    if (file === null) return null;
    try {
      const found = await file.stat();
      if (!found.isFile()) return null;
      if (found.size > maxBytes) throw new FileTooLarge(path, found.size, maxBytes);
      const bytes = await readAtMost(file, found.size, maxBytes);
      if (bytes.length > maxBytes) throw new FileTooLarge(path, bytes.length, maxBytes);
      return { text: bytes.toString(), modified: found.mtime };
    } finally {
      await file.close();
    }
  });
};

/** All of it, or one byte more than `most`: the file may grow meanwhile, or have told no size. */
const readAtMost = async (file: FileHandle, size: number, most: number): Promise<Buffer> => {
  let bytes = Buffer.allocUnsafe(size + 1);
  let filled = 0;
  for (;;) {
    const { bytesRead } = await file.read(bytes, filled, bytes.length - filled, filled);
    filled += bytesRead;
    if (bytesRead === 0 || filled > most) return bytes.subarray(0, filled);
    if (filled === bytes.length) bytes = Buffer.concat([bytes], Math.min(most + 1, bytes.length * 2 + MORE));
  }
};

export class FileTooLarge extends Error {
  override readonly name = "FileTooLarge";
  constructor(path: string, size: number, limit: number) {
    super(`${path} has ${size} bytes; at most ${limit} are read`);
  }
}

/** Whole and durable, or not at all; makes the folders on the way. Without `replace`, false where there is one already. */
export const writeBelow = async (
  root: string,
  path: string,
  { text, replace }: { readonly text: string; readonly replace: boolean },
): Promise<boolean> => {
  const names = namesOf(path);
  const name = names.at(-1)!;
  const folder = await openFolder(root, names.slice(0, -1), true);
  return within(folder, async (at) => {
    const draft = join(at, `.${name.slice(0, 200)}.${randomBytes(6).toString("hex")}.new`);
    const file = await open(draft, "wx");
    try {
      try {
        await file.writeFile(text);
        await file.sync();
      } finally {
        await file.close();
      }
      const isDone = await putInPlace(draft, join(at, name), replace);
      await folder.handle.sync();
      return isDone;
    } catch (error) {
      await rm(draft, { force: true });
      throw error;
    }
  });
};

const putInPlace = async (draft: string, path: string, replace: boolean): Promise<boolean> => {
  if (replace) {
    await rename(draft, path);
    return true;
  }
  try {
    await link(draft, path);
    return true;
  } catch (error) {
    unlessThere(error);
    return false;
  } finally {
    await unlink(draft);
  }
};

/** Names in a folder, sorted; none where there is no such folder. */
export const listBelow = async (root: string, path: string): Promise<readonly string[]> => {
  const folder = await openFolder(root, namesOf(path), false).catch(orNull);
  return folder === null ? [] : within(folder, async (at) => (await readdir(at)).toSorted());
};
