/** The package of a `path` entry that is a directory: as it is. Null: it is an archive. */
import type { PathEntry } from "@bailiwick/contract";
import { stat } from "node:fs/promises";
import { entryDirectory, type EntryDirectoryOptions } from "../entry-directory.ts";
import type { Located } from "../located.ts";
import { NO_TRUST } from "./registry.ts";

const ARCHIVE = /\.mcpb$/i;

export const locateDirectory = async (entry: PathEntry, options: EntryDirectoryOptions): Promise<Located | null> => {
  const directory = entryDirectory(entry, options);
  const facts = ARCHIVE.test(directory) ? await stat(directory).catch(() => null) : null;
  // What is neither a directory nor an archive is refused at the gate, with the reason.
  if (facts !== null && !facts.isDirectory()) return null;
  return { directory, digest: null, cached: false, manifest: null, origin: "path", ...NO_TRUST };
};
