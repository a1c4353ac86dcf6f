/** One stored text of a content, as it is known without its text. Values of the context are never part of it. */
import { hash } from "node:crypto";
import { jcs } from "../../kernel/jcs.ts";

/** What a text was made of: it may be given for another request only where all of it is the same. */
export interface Freshness {
  readonly generator: string;
  readonly generator_version: string;
  readonly config_digest: string;
  readonly context_digest: string;
}

export interface StoredVersion extends Freshness {
  readonly content_id: string;
  readonly version_id: string;
  readonly timestamp: string;
  readonly format: string;
  readonly size_bytes: number;
  /** The first 12 hex of SHA-256. */
  readonly content_hash: string;
  readonly context_variables: readonly string[];
  readonly approved: boolean;
  /** Its generator could not make it, and gave what its config has for that. */
  readonly fallback?: true;
  readonly reason?: string;
}

export interface NewVersion extends Freshness {
  readonly content_id: string;
  readonly text: string;
  readonly format: string;
  readonly context_variables: readonly string[];
  readonly approved: boolean;
  readonly fallback?: true;
  readonly reason?: string;
}

/** Of plain data, whatever the order of its members. */
export const digestOf = (value: unknown): string => `sha256:${hash("sha256", jcs(value))}`;

export const contentHash = (text: string): string => hash("sha256", text).slice(0, 12);

export const isMadeOf = (version: StoredVersion, made: Freshness): boolean =>
  version.generator === made.generator &&
  version.generator_version === made.generator_version &&
  version.config_digest === made.config_digest &&
  version.context_digest === made.context_digest;

/** Of texts; what is known of them is not counted. */
export const bytesOf = (versions: readonly StoredVersion[]): number =>
  versions.reduce((sum, { size_bytes: size }) => sum + size, 0);

const TEXTS = [
  "content_id",
  "version_id",
  "timestamp",
  "format",
  "content_hash",
  "generator",
  "generator_version",
  "config_digest",
  "context_digest",
] as const;

/** Null: the text is none that was written here. */
export const readVersion = (text: string): StoredVersion | null => {
  let found: unknown;
  try {
    found = JSON.parse(text);
  } catch {
    return null;
  }
  if (typeof found !== "object" || found === null) return null;
  const row = found as Readonly<Record<string, unknown>>;
  const isWhole =
    TEXTS.every((name) => typeof row[name] === "string") &&
    Number.isSafeInteger(row["size_bytes"]) &&
    typeof row["approved"] === "boolean" &&
    Array.isArray(row["context_variables"]) &&
    !Number.isNaN(Date.parse(row["timestamp"] as string));
  return isWhole ? (row as unknown as StoredVersion) : null;
};
