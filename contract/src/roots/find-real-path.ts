/** Where a path leads once every link on it is followed. What does not exist yet is its name under what does. */
import { type AbsolutePath, joinAbsolute, splitAbsolute } from "./absolute-path.ts";
import type { PathFlavour, PathView } from "./roots.ts";

/** How many of the names exist. A name below one that is missing is missing too, so half of the rest is ruled out each time. */
const countExisting = (path: AbsolutePath, flavour: PathFlavour, view: PathView): number => {
  let low = 0;
  let high = path.names.length;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (view.exists(joinAbsolute({ top: path.top, names: path.names.slice(0, middle) }, flavour))) low = middle;
    else high = middle - 1;
  }
  return low;
};

/** Null: something is there, and nobody can say where it leads (a link to nothing, a loop, a folder closed to the host). */
export const findRealPath = (path: AbsolutePath, flavour: PathFlavour, view: PathView): AbsolutePath | null => {
  const whole = view.realpath(joinAbsolute(path, flavour));
  if (whole !== null) return splitAbsolute(whole, flavour);
  const count = countExisting(path, flavour, view);
  const real = view.realpath(joinAbsolute({ top: path.top, names: path.names.slice(0, count) }, flavour));
  // A drive that does not exist has no real path, and nothing on it is a link.
  if (real === null) return count === 0 ? path : null;
  const prefix = splitAbsolute(real, flavour);
  return prefix === null ? null : { top: prefix.top, names: [...prefix.names, ...path.names.slice(count)] };
};
