/** The ids that a folder of stored texts has folders for; none where it is not there. */
import { readdir } from "node:fs/promises";
import { isConfigId, isDraftId } from "../configs/config-id.ts";
import { isAbsent } from "./private-files.ts";

export const readIds = async (dir: string): Promise<Set<string>> => {
  try {
    const entries = await readdir(dir, { withFileTypes: true });
    const folders = entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
    return new Set(folders.filter((name) => isConfigId(name) || isDraftId(name)));
  } catch (error) {
    if (isAbsent(error)) return new Set();
    throw error;
  }
};
