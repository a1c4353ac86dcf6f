/** How an imported bundle is called here: as the source has it where that is free, else with a number. Pure. */
import { deriveProviderName, findProviderNameFault } from "@bailiwick/contract";
import { resolve } from "node:path";
import type { RawEntry } from "./config-entries.ts";

const MAX_NAME = 48;
const MOST_TRIED = 50;

/** Letters and digits of the given name; null: it has none. */
export const plainName = (given: string): string | null => {
  const folded = given.normalize("NFKD").toLowerCase();
  const name = folded
    .replace(/[^a-z0-9]+/g, "-")
    .slice(0, MAX_NAME + 1)
    .replace(/^-+|-+$/g, "")
    .slice(0, MAX_NAME);
  return name === "" ? null : name;
};

/** The name that an entry of the configuration has; null: its manifest says it. */
export const nameOfEntry = ({ serverName, name }: RawEntry): string | null => {
  if (typeof serverName === "string") return serverName;
  return typeof name === "string" ? deriveProviderName(name) : null;
};

/** `name`, then `name-2` and so on. */
export const candidateNames = (name: string): readonly string[] =>
  [name, ...Array.from({ length: MOST_TRIED }, (_, at) => `${name.slice(0, MAX_NAME - 4)}-${at + 2}`)].filter(
    (each) => findProviderNameFault(each) === null,
  );

/** Absolute, so that two spellings of one path are one. */
export const pathOfEntry = ({ path }: RawEntry, baseDir: string): string | null =>
  typeof path === "string" ? resolve(baseDir, path) : null;
