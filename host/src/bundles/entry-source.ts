/**
 * What identifies an entry, whatever it is called: its absolute path, its package's name or its URL. What a bundle was given,
 * keeps or had accepted belongs to that and to no other that gets its name later. Pure.
 */
import type { BundleEntry } from "@bailiwick/contract";
import { createHash } from "node:crypto";
import { entryDirectory, type EntryDirectoryOptions } from "./entry-directory.ts";
import { isNpmName } from "./sources/npm-name.ts";

export const entrySource = (entry: BundleEntry, options: EntryDirectoryOptions): string => {
  if (entry.kind === "url") return `url:${entry.url}`;
  return entry.kind === "path" ? `path:${entryDirectory(entry, options)}` : `name:${withoutVersion(entry.name)}`;
};

/** Hashed: a URL may hold what nobody should find in a second file. */
export const hashSource = (source: string): string => createHash("sha256").update(source).digest("hex");

/** Another version of a package is the same package. */
const withoutVersion = (name: string): string => {
  const at = isNpmName(name) ? name.indexOf("@", "npm:".length + 1) : -1;
  return at === -1 ? name : name.slice(0, at);
};
