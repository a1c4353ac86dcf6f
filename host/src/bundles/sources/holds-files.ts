/**
 * Whether a folder still has all that another one has, to the byte. What it has beyond that is no damage: interpreters keep
 * their caches beside what they run.
 */
import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { lstat, readdir, readlink } from "node:fs/promises";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";

export const holdsFiles = async (folder: string, model: string): Promise<boolean> => {
  for (const entry of await readdir(model, { withFileTypes: true })) {
    const [ours, theirs] = [join(folder, entry.name), join(model, entry.name)];
    // What cannot be looked at is damaged too.
    if (!(await isSame(ours, theirs).catch(() => false))) return false;
    if (entry.isDirectory() && !(await holdsFiles(ours, theirs))) return false;
  }
  return true;
};

const KIND_AND_PROGRAM = 0o170100;

const isSame = async (one: string, other: string): Promise<boolean> => {
  const [a, b] = await Promise.all([lstat(one), lstat(other)]);
  if ((a.mode & KIND_AND_PROGRAM) !== (b.mode & KIND_AND_PROGRAM)) return false;
  if (a.isDirectory()) return true;
  if (a.isSymbolicLink()) return (await readlink(one)) === (await readlink(other));
  return a.size === b.size && (await hashFile(one)) === (await hashFile(other));
};

const hashFile = async (file: string): Promise<string> => {
  const hash = createHash("sha256");
  await pipeline(createReadStream(file), hash);
  return hash.digest("hex");
};
