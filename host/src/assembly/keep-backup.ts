/** A copy of a file beside it before it is changed, for its owner alone; none of an earlier time is overwritten. */
import { constants } from "node:fs";
import { chmod, copyFile, realpath } from "node:fs/promises";

const MOST_TRIED = 100;

/** Where it lies; null: there is no such file. */
export const keepBackup = async (given: string): Promise<string | null> => {
  const file = await realpath(given).catch(() => null);
  if (file === null) return null;
  const stamp = new Date().toISOString().replace(/[-:]|\.\d+Z$/g, "");
  for (let tries = 1; tries <= MOST_TRIED; tries++) {
    const backup = `${file}.${stamp}${tries === 1 ? "" : `-${tries}`}.bak`;
    try {
      await copyFile(file, backup, constants.COPYFILE_EXCL);
      await chmod(backup, 0o600);
      return backup;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    }
  }
  throw new Error(`${file} has too many backups beside it; remove some of ${file}.*.bak.`);
};
