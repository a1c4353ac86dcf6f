/** Files that only their owner may read, made whole beside their place; what was planted under the name is never followed. */
import { open, rename, rm, unlink, type FileHandle } from "node:fs/promises";
import { dirname } from "node:path";
import { syncFolder } from "../../kernel/sync-folder.ts";

export interface Draft<T> {
  readonly draft: string;
  readonly filled: T;
}

/** When `fill` fails there is no draft. */
export const writeDraft = async <T>(path: string, fill: (file: FileHandle) => Promise<T>): Promise<Draft<T>> => {
  const draft = `${path}.new`;
  const file = await openNew(draft);
  try {
    return { draft, filled: await fill(file) };
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  } finally {
    await file.close();
  }
};

const openNew = async (path: string): Promise<FileHandle> => {
  try {
    return await open(path, "wx", 0o600);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  }
  // One that an interruption left over, or a link that somebody put there.
  await unlink(path);
  return open(path, "wx", 0o600);
};

/** There whole and durable, or not at all. */
export const createFile = async <T>(path: string, fill: (file: FileHandle) => Promise<T>): Promise<T> => {
  const { draft, filled } = await writeDraft(path, async (file) => {
    const done = await fill(file);
    await file.sync();
    return done;
  });
  await rename(draft, path);
  await syncFolder(dirname(path));
  return filled;
};
