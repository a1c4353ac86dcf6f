/**
 * `uri-owners.json`: which provider each URI belongs to, over restarts. Written behind the claims, one write at a time; a
 * file that cannot be read is an error, never an empty one, else every URI would be free for whoever lists it next.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { replaceFile } from "../kernel/replace-file.ts";
import { UriOwners, type KnownOwners } from "../kernel/uri-owners.ts";

const RETRY_MS = 5_000;
const KEY = /^[A-Za-z0-9_-]{22}$/;

export interface StoredUriOwners {
  readonly owners: UriOwners;
  /** Resolves when what was to be written is, or could not be. */
  readonly settled: () => Promise<void>;
}

/** Throws an Error fit for people when the file is damaged. */
export const openUriOwners = (dir: string, report: (error: unknown) => void): StoredUriOwners => {
  const path = join(dir, "uri-owners.json");
  let unwritten = false;
  let writing: Promise<void> | null = null;

  const write = async (): Promise<void> => {
    while (unwritten) {
      unwritten = false;
      await replaceFile(path, `${JSON.stringify({ version: 1, owners: owners.entries() })}\n`);
    }
  };
  const start = (): void => {
    writing ??= write().then(ended, failed);
  };
  const ended = (): void => {
    writing = null;
    if (unwritten) start();
  };
  const failed = (error: Error): void => {
    writing = null;
    unwritten = true;
    report(new Error(`${path} could not be written: ${error.message}`));
    setTimeout(start, RETRY_MS).unref();
  };
  const owners = new UriOwners(readFile(path), () => {
    unwritten = true;
    start();
  });
  return { owners, settled: () => writing ?? Promise.resolve() };
};

const readFile = (path: string): KnownOwners => {
  try {
    const file = JSON.parse(readFileSync(path, "utf8")) as { version?: unknown; owners?: unknown } | null;
    if (file?.version === 1 && Array.isArray(file.owners) && file.owners.every(isRow)) return file.owners;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
    if (!(error instanceof SyntaxError)) throw error;
  }
  throw new Error(
    `${path} is damaged. Restore it from a backup, or remove it: then each URI belongs to the provider that lists it first.`,
  );
};

const isRow = (row: unknown): row is [string, string[]] =>
  Array.isArray(row) &&
  row.length === 2 &&
  typeof row[0] === "string" &&
  Array.isArray(row[1]) &&
  row[1].every((key) => typeof key === "string" && KEY.test(key));
