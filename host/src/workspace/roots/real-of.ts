/**
 * A path with every link followed, as far as there is something. Whoever names it chooses how long it is, so half of it is
 * ruled out each time.
 */
import { posix, win32 } from "node:path";
import type { PathFlavour, PathView } from "@bailiwick/contract";

interface Look {
  readonly view: PathView;
  readonly flavour: PathFlavour;
}

export const realOf = (path: string, { view, flavour }: Look): string => {
  const whole = view.realpath(path);
  if (whole !== null) return whole;
  const paths = flavour === "win32" ? win32 : posix;
  const { root: top } = paths.parse(path);
  const names = path.slice(top.length).split(paths.sep);
  const realAt = (count: number): string | null => view.realpath(paths.join(top, ...names.slice(0, count)));
  let low = 0;
  let high = names.length - 1;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (realAt(middle) === null) high = middle - 1;
    else low = middle;
  }
  const real = realAt(low);
  return real === null ? path : paths.join(real, ...names.slice(low));
};
