/** `keys.json`: named keys by the hash of their secret. A file that cannot be read is an error, never an empty list. */
import { readFileSync } from "node:fs";
import type { KeyRow } from "../kernel/key.ts";
import { replacePrivateFile } from "./private-file.ts";

/** A row with the SHA-256 of its secret; null once it is revoked. */
export interface KeyEntry {
  readonly row: KeyRow;
  readonly hash: string | null;
}

const isText = (value: unknown): value is string => typeof value === "string";
const isTextOrNull = (value: unknown): boolean => value === null || isText(value);
const isTexts = (value: unknown): boolean => Array.isArray(value) && value.every(isText);

const isRow = (value: unknown): value is KeyRow => {
  if (typeof value !== "object" || value === null) return false;
  const row = value as Record<string, unknown>;
  return (
    [row["name"], row["as"], row["workspace"], row["createdAt"]].every(isText) &&
    [row["for"], row["revokedAt"]].every(isTextOrNull) &&
    (row["scopes"] === null || isTexts(row["scopes"])) &&
    isTexts(row["permissions"])
  );
};

const parse = (text: string): KeyEntry[] | null => {
  const file = JSON.parse(text) as { version?: unknown; keys?: unknown } | null;
  if (file?.version !== 1 || !Array.isArray(file.keys)) return null;
  const entries = file.keys as { row?: unknown; hash?: unknown }[];
  return entries.every((entry) => isRow(entry?.row) && isTextOrNull(entry.hash)) ? (entries as KeyEntry[]) : null;
};

/** Throws an Error fit for people when the file is damaged. */
export const readKeyFile = (path: string): KeyEntry[] => {
  let entries: KeyEntry[] | null = null;
  try {
    entries = parse(readFileSync(path, "utf8"));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
    if (!(error instanceof SyntaxError)) throw error;
  }
  if (entries === null)
    throw new Error(`${path} is damaged. Restore it from a backup, or remove it and create the keys again.`);
  return entries;
};

export const writeKeyFile = (path: string, entries: readonly KeyEntry[]): void =>
  replacePrivateFile(path, `${JSON.stringify({ version: 1, keys: entries }, null, 2)}\n`);
