/**
 * The folders of one directory that hold a `SKILL.md`, or another file that is asked for, by name; nothing deeper. A directory that is not there is empty. A
 * folder that is a link is followed: whoever keeps the directory put it there.
 */
import { lstat, opendir, realpath } from "node:fs/promises";
import { join } from "node:path";
import { SKILL_LIMITS } from "./skill-limits.ts";
import { systemReason } from "./skill-defect.ts";

export interface Folder {
  readonly name: string;
  /** As its directory names it, for people. */
  readonly path: string;
  /** Where it really lies. */
  readonly root: string;
}

const NOT_THERE = new Set(["ENOENT", "ENOTDIR"]);

export const findFolders = async (
  dir: string,
  defects: string[],
  holding: readonly string[] = ["SKILL.md"],
): Promise<readonly Folder[]> => {
  const folders: Folder[] = [];
  for (const name of await namesIn(dir, defects)) {
    const path = join(dir, name);
    try {
      await Promise.any(holding.map((file) => lstat(join(path, file)))).catch(firstOf);
      folders.push({ name, path, root: await realpath(path) });
    } catch (error) {
      const reason = systemReason(error);
      if (reason === null) throw error;
      if (!NOT_THERE.has(reason)) defects.push(`${path} cannot be read (${reason}): let the host's user read it.`);
    }
  }
  return folders;
};

/** What was wrong with the one that was asked for first. */
const firstOf = (error: unknown): never => {
  throw error instanceof AggregateError ? error.errors[0] : error;
};

const namesIn = async (dir: string, defects: string[]): Promise<readonly string[]> => {
  const names: string[] = [];
  let seen = 0;
  try {
    for await (const entry of await opendir(dir)) {
      if (++seen > SKILL_LIMITS.entries) {
        defects.push(
          `${dir} has more than ${SKILL_LIMITS.entries} entries, and the rest is not looked at: move some out.`,
        );
        break;
      }
      if (!entry.name.startsWith(".") && (entry.isDirectory() || entry.isSymbolicLink())) names.push(entry.name);
    }
  } catch (error) {
    const reason = systemReason(error);
    if (reason === null) throw error;
    if (!NOT_THERE.has(reason)) defects.push(`${dir} cannot be read (${reason}): let the host's user read it.`);
  }
  return names.toSorted();
};
