/** Directories that `skillDirs` names and nothing can be loaded from. The usual places need not be there. Reads only. */
import { readdirSync } from "node:fs";
import type { LoadedConfig } from "../load-config.ts";
import { resolvePath } from "../resolve-path.ts";
import { warn, type Check } from "./check.ts";

export const checkSkillDirs = (
  { config, baseDir }: Pick<LoadedConfig, "config" | "baseDir">,
  home: string,
): readonly Check[] =>
  config.skillDirs.flatMap((dir) => {
    try {
      readdirSync(resolvePath(dir, { baseDir, home }));
      return [];
    } catch (error) {
      const { code = "" } = error as NodeJS.ErrnoException;
      const why = code === "ENOENT" || code === "ENOTDIR" ? "is no folder" : `cannot be read (${code})`;
      const message = `${JSON.stringify(dir)} in skillDirs ${why}, so nothing is loaded from it.`;
      return [warn("skills", message, "Make the folder or let the host's user read it, or correct skillDirs.")];
    }
  });
