/** Absolute form of a path from the configuration: `~` is the home directory, all else is relative to the base directory. */
import { resolve } from "node:path";

export interface PathBase {
  readonly baseDir: string;
  readonly home: string;
}

export const resolvePath = (path: string, { baseDir, home }: PathBase): string => {
  if (path === "~") return home;
  return path.startsWith("~/") ? resolve(home, path.slice(2)) : resolve(baseDir, path);
};
