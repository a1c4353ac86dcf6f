/** The disk as the resolution of a path asks about it. Nothing is kept: a link may change at any time. */
import { lstatSync, realpathSync } from "node:fs";
import type { PathView } from "@bailiwick/contract/roots";

/** Nothing can be opened under such a name. All else, such as a folder that is closed to us, may be a link that we cannot see. */
const ABSENT: ReadonlySet<unknown> = new Set(["ENOENT", "ENOTDIR", "ENAMETOOLONG"]);

export const diskView: PathView = {
  realpath(path) {
    try {
      return realpathSync.native(path);
    } catch {
      return null;
    }
  },
  exists(path) {
    try {
      lstatSync(path);
      return true;
    } catch (error) {
      return !ABSENT.has((error as NodeJS.ErrnoException).code);
    }
  },
};
