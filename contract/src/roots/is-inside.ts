/** Whether a path equals a folder or continues it by a separator. Both are absolute and are compared as they are spelled. */
import { type AbsolutePath, splitAbsolute } from "./absolute-path.ts";
import type { PathFlavour } from "./roots.ts";

/**
 * Windows takes `A` and `a` for one name, but not every pair that Unicode folds together: the Kelvin sign is no `K` there.
 * Two names are one where both their upper and their lower case agree; in doubt they are two.
 */
const sameName = (one: string, other: string, flavour: PathFlavour): boolean =>
  one === other ||
  (flavour === "win32" && one.toUpperCase() === other.toUpperCase() && one.toLowerCase() === other.toLowerCase());

/** The names that lead from the folder to the path. Null: it does not lie in there. */
export const namesBelow = (
  folder: AbsolutePath,
  path: AbsolutePath,
  flavour: PathFlavour,
): readonly string[] | null => {
  if (path.names.length < folder.names.length || !sameName(folder.top, path.top, flavour)) return null;
  const inside = folder.names.every((name, index) => sameName(name, path.names[index] ?? "", flavour));
  return inside ? path.names.slice(folder.names.length) : null;
};

export const isInside = (root: string, path: string, flavour: PathFlavour): boolean => {
  const folder = splitAbsolute(root, flavour);
  const other = splitAbsolute(path, flavour);
  return folder !== null && other !== null && namesBelow(folder, other, flavour) !== null;
};
