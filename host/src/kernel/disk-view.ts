/** What lies on disk, for those who resolve paths. Nothing is remembered: something else may lie there by now. */
import { lstatSync, realpathSync } from "node:fs";
import type { PathFlavour, PathView } from "@bailiwick/contract";

const NOTHING_THERE: ReadonlySet<string> = new Set(["ENOENT", "ENOTDIR", "ENAMETOOLONG"]);

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

export const OWN_FLAVOUR: PathFlavour = process.platform === "win32" ? "win32" : "posix";
