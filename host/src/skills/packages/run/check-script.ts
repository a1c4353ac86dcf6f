/**
 * The script of a tool as it is on disk at this moment: its real path, if that is a regular file inside the package's real
 * path. Looked at right before each start, since a link may lead elsewhere by then.
 */
import { realpath, stat } from "node:fs/promises";
import { isAbsolute, join, sep } from "node:path";

/** Null: it is not there, no regular file, or leads out of the package. */
export const checkScript = async (packageDir: string, script: string): Promise<string | null> => {
  if (isAbsolute(script) || script.split("/").includes("..")) return null;
  try {
    const [home, real] = await Promise.all([realpath(packageDir), realpath(join(packageDir, script))]);
    if (!real.startsWith(home.endsWith(sep) ? home : home + sep)) return null;
    return (await stat(real)).isFile() ? real : null;
  } catch {
    return null;
  }
};
