/**
 * Whether a place on disk is one that calls may write to: in a root of the workspace, or in what its providers keep. Asked on
 * real paths; a folder that is a link lies where the link does.
 */
import { realpathSync } from "node:fs";
import { basename, dirname, join, resolve, sep } from "node:path";
import type { RootList } from "../kernel/roots.ts";

interface WritablePlaces {
  /** Of the workspace, whoever calls; asked each time. */
  readonly roots: () => Pick<RootList, "rows">;
  readonly dataDir: string;
  /** Other places, asked each time: what clients announced, what the sandbox lets be written. */
  readonly others: () => readonly string[];
}

export const whereCallsWrite =
  ({ roots, dataDir, others }: WritablePlaces): ((path: string) => boolean) =>
  (path) => {
    const at = join(realOf(dirname(path)), basename(path));
    const bases = [dataDir, ...others(), ...roots().rows.flatMap(({ path: root }) => (root === null ? [] : [root]))];
    return bases.map(realOf).some((base) => at === base || at.startsWith(base.endsWith(sep) ? base : base + sep));
  };

/** What is not there yet, or cannot be looked at, is where it says. */
const realOf = (path: string): string => {
  try {
    return realpathSync(path);
  } catch {
    return resolve(path);
  }
};
