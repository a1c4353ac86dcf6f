/** Where a `path` entry points: relative to the configuration file's directory, `~/` is the user's home. */
import type { PathEntry } from "@bailiwick/contract";
import { join, resolve } from "node:path";

export interface EntryDirectoryOptions {
  readonly baseDir: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

export const entryDirectory = (entry: PathEntry, { baseDir, env }: EntryDirectoryOptions): string =>
  entry.path.startsWith("~/") && env["HOME"] !== undefined
    ? join(env["HOME"], entry.path.slice(2))
    : resolve(baseDir, entry.path);
