/** What lies on disk, for those who resolve paths. */
import { lstatSync, realpathSync } from "node:fs";
import type { PathFlavour, PathView } from "@bailiwick/contract";

const NOTHING_THERE: ReadonlySet<string> = new Set(["ENOENT", "ENOTDIR", "ENAMETOOLONG"]);

/** Nothing is remembered: something else may lie there by now. */
export const DISK: PathView = Object.freeze({
  realpath: (path: string): string | null => {
    try {
      return realpathSync.native(path);
    } catch {
      return null;
    }
  },
  exists: (path: string): boolean => {
    try {
      return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
    } catch (error) {
      // What may not be looked at may be anything.
      return !NOTHING_THERE.has((error as NodeJS.ErrnoException).code ?? "");
    }
  },
});

/** For many paths at one moment: each place is looked at once. Not to be kept. */
export const glanceAtDisk = (): PathView => {
  const [reals, there] = [new Map<string, string | null>(), new Map<string, boolean>()];
  return {
    realpath: (path) => {
      const known = reals.get(path);
      if (known !== undefined) return known;
      const found = DISK.realpath(path);
      reals.set(path, found);
      return found;
    },
    exists: (path) => {
      const known = there.get(path);
      if (known !== undefined) return known;
      const found = DISK.exists(path);
      there.set(path, found);
      return found;
    },
  };
};

export const OWN_FLAVOUR: PathFlavour = process.platform === "win32" ? "win32" : "posix";
