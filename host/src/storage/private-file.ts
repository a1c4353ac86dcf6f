/** Files that only their owner may read: made once, replaced as a whole, and narrowed when somebody opened them up. */
import { chmodSync, closeSync, fsyncSync, linkSync, openSync, renameSync, rmSync, statSync, writeSync } from "node:fs";
import { randomBytes } from "node:crypto";
import { dirname } from "node:path";

const PRIVATE = 0o600;
const OTHERS = 0o077;

const temporaryFor = (path: string): string => `${path}.${randomBytes(6).toString("hex")}.tmp`;

const writeDurably = (path: string, text: string): void => {
  const file = openSync(path, "wx", PRIVATE);
  try {
    writeSync(file, text);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
};

const syncDirectory = (dir: string): void => {
  const handle = openSync(dir, "r");
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
};

/** Makes the file with this text, whole or not at all; does nothing when there is one already. */
export const createPrivateFile = (path: string, text: string): void => {
  const temporary = temporaryFor(path);
  writeDurably(temporary, text);
  try {
    linkSync(temporary, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  } finally {
    rmSync(temporary, { force: true });
  }
  syncDirectory(dirname(path));
};

/** Whoever reads meanwhile sees the old or the new text, never a part; a crash leaves one of the two. */
export const replacePrivateFile = (path: string, text: string): void => {
  const temporary = temporaryFor(path);
  try {
    writeDurably(temporary, text);
    renameSync(temporary, path);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
  syncDirectory(dirname(path));
};

/** Takes away what the group and the world may do. Returns a note for people when there was something, else null. */
export const narrowFile = (path: string): string | null => {
  const mode = statSync(path).mode & 0o777;
  if ((mode & OTHERS) === 0) return null;
  chmodSync(path, PRIVATE);
  return `${path} could be read by others (mode ${mode.toString(8)}); it is 600 now. If others have used this machine, make a new key.`;
};
