/**
 * The bytes of the files in their folder, one file of the disk for each. Written beside, made durable and then renamed, so what
 * stands under an id is whole.
 */
import { createHash } from "node:crypto";
import { rmSync } from "node:fs";
import { open, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { syncFolder } from "../../kernel/sync-folder.ts";

/** Written and hashed in steps, between which others have their turn. */
const STEP = 1 << 20;

/** Resolves with the SHA-256 in hex. */
export const writeBytes = async (folder: string, id: string, bytes: Uint8Array): Promise<string> => {
  const hash = createHash("sha256");
  const draft = draftOf(folder, id);
  const handle = await open(draft, "wx", 0o600);
  try {
    for (let at = 0; at < bytes.length; at += STEP) {
      const step = bytes.subarray(at, at + STEP);
      hash.update(step);
      await handle.writeFile(step);
    }
    await handle.sync();
  } finally {
    await handle.close();
  }
  await rename(draft, join(folder, id));
  await syncFolder(folder);
  return hash.digest("hex");
};

/** Null when they cannot be read or are not as many as they were; then they are not read at all. */
export const readBytes = async (folder: string, id: string, size: number): Promise<Buffer | null> => {
  try {
    const handle = await open(join(folder, id), "r");
    try {
      const found = await handle.stat();
      if (!found.isFile() || found.size !== size) return null;
      const bytes = await handle.readFile();
      return bytes.length === size ? bytes : null;
    } finally {
      await handle.close();
    }
  } catch {
    return null;
  }
};

export const dropBytes = async (folder: string, id: string): Promise<void> => {
  await rm(draftOf(folder, id), { force: true });
  await rm(join(folder, id), { force: true });
};

export const dropBytesNow = (folder: string, id: string): void => {
  rmSync(draftOf(folder, id), { force: true });
  rmSync(join(folder, id), { force: true });
};

const draftOf = (folder: string, id: string): string => join(folder, `${id}.new`);
