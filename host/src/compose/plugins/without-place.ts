/** What is told of a plug-in, without where on the machine it lies: whoever reads a list need not know. */
import { realpathSync } from "node:fs";
import { sep } from "node:path";
import { pathToFileURL } from "node:url";
import type { PluginFile } from "./plugin-files.ts";

export const withoutPlace = (message: string, { path, place }: Pick<PluginFile, "path" | "place">): string => {
  const workDir = path.slice(0, -place.length);
  const real = realOf(workDir);
  // A message is quoted by whoever writes it, as a path or as an address.
  const written = [workDir, real].flatMap((dir) => [pathToFileURL(dir).href, dir]);
  return [...new Set(written)].reduce((left, dir) => left.replaceAll(dir, ""), message);
};

const realOf = (workDir: string): string => {
  try {
    return `${realpathSync(workDir)}${sep}`;
  } catch {
    return workDir;
  }
};
