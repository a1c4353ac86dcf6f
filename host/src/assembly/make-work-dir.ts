/**
 * Makes the work directory, step by step: Node's own recursive form never ends where a file system accepts no directory
 * and says so with ENOENT (/proc). Throws ConfigError with what to do instead.
 */
import { mkdirSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { ConfigError } from "./config-error.ts";

const isDirectory = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;

export const makeWorkDir = (workDir: string): void => {
  try {
    makeWithParents(workDir);
  } catch (error) {
    throw new ConfigError(
      `The work directory ${workDir} cannot be made: ${(error as Error).message}. Give another: --workdir <dir>`,
      { cause: error },
    );
  }
};

const makeWithParents = (path: string): void => {
  if (isDirectory(path)) return;
  const parent = dirname(path);
  if (parent !== path) makeWithParents(parent);
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    // Another process may have made it meanwhile.
    if (!isDirectory(path)) throw error;
  }
};
