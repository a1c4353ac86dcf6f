/** Files of the host's own folders, readable by their owner only: whole and durable, or not there. No link is followed. */
import { randomBytes } from "node:crypto";
import { closeSync, constants, fstatSync, openSync, readFileSync } from "node:fs";
import { link, lstat, open, rename, rm, unlink } from "node:fs/promises";
import { basename, dirname, join } from "node:path";

const READ = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/** What is written beside ends so, and is nobody's when it is left over. */
export const DRAFT_END = ".new";

/** Resolves with the path beside, synced. */
export const writeBeside = async (path: string, text: string): Promise<string> => {
  const draft = join(dirname(path), `.${basename(path).slice(0, 200)}.${randomBytes(6).toString("hex")}${DRAFT_END}`);
  const handle = await open(draft, "wx", 0o600);
  try {
    await handle.writeFile(text);
    await handle.sync();
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  } finally {
    await handle.close();
  }
  return draft;
};

export const writePrivate = async (path: string, text: string, how: { readonly replace: boolean }): Promise<void> => {
  const draft = await writeBeside(path, text);
  try {
    if (how.replace) await rename(draft, path);
    else {
      await link(draft, path);
      await unlink(draft);
    }
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
  await syncFolder(dirname(path));
};

/** Null: there is no plain file, or it has more bytes than that. */
export const readPrivate = async (path: string, maxBytes: number): Promise<string | null> => {
  try {
    const handle = await open(path, READ);
    try {
      const found = await handle.stat();
      return found.isFile() && found.size <= maxBytes ? await handle.readFile("utf8") : null;
    } finally {
      await handle.close();
    }
  } catch (error) {
    if (isAbsent(error)) return null;
    throw error;
  }
};

export const readPrivateNow = (path: string, maxBytes: number): string | null => {
  try {
    const file = openSync(path, READ);
    try {
      const found = fstatSync(file);
      return found.isFile() && found.size <= maxBytes ? readFileSync(file, "utf8") : null;
    } finally {
      closeSync(file);
    }
  } catch (error) {
    if (isAbsent(error)) return null;
    throw error;
  }
};

/** What nobody has touched since then. */
export const dropOlder = async (path: string, before: Date): Promise<void> => {
  const found = await lstat(path).catch(() => null);
  if (found?.isFile() === true && found.mtime < before) await rm(path, { force: true });
};

export const isAbsent = (error: unknown): boolean =>
  ["ENOENT", "ENOTDIR", "ELOOP", "EISDIR"].includes((error as NodeJS.ErrnoException).code ?? "");

export const syncFolder = async (path: string): Promise<void> => {
  const handle = await open(path, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
};
