/**
 * A lock between processes that the operating system releases however its holder ends: an exclusive transaction on a tiny
 * SQLite file of its own. Nothing is ever written to that file.
 */
import { DatabaseSync } from "node:sqlite";

const SQLITE_BUSY = 5;

export interface FileLock {
  release(): void;
}

/** Null when another process still holds it after `waitMs`. */
export const takeFileLock = (path: string, waitMs: number): FileLock | null => {
  const db = new DatabaseSync(path, { timeout: waitMs });
  try {
    db.exec("BEGIN EXCLUSIVE");
  } catch (error) {
    db.close();
    if ((error as { errcode?: number }).errcode === SQLITE_BUSY) return null;
    throw error;
  }
  return { release: () => db.close() };
};
