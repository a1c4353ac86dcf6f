/**
 * The versions of one content on disk: `<version>.<format>` with the text, `<version>.meta.json` with what is known of it.
 * The latter is written last and removed first, so it never stands for a text that is not whole. One that stands alone was
 * kept when its text was deleted.
 */
import { mkdir, readdir, rename, rm, rmdir } from "node:fs/promises";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { HostError } from "../../kernel/host-error.ts";
import {
  DRAFT_END,
  dropOlder,
  isAbsent,
  readPrivate,
  readPrivateNow,
  syncFolder,
  writeBeside,
} from "./private-files.ts";
import { contentHash, readVersion, type StoredVersion } from "./stored-version.ts";
import { compareVersionIds, isVersionId, versionFileName } from "./version-id.ts";

const META_END = ".meta.json";
const MAX_META = 16_000_000;
const FORMAT = /^[a-z]{1,20}$/;
/** Read without a pause: for small files the pauses are what takes time. */
const STEP = 32;

export interface FolderReading {
  /** Oldest first. */
  readonly versions: readonly StoredVersion[];
  /** Whose text is gone. */
  readonly kept: readonly StoredVersion[];
}

export const readFolder = async (folder: string, contentId: string): Promise<FolderReading> => {
  const names = await namesIn(folder);
  const there = new Set(names);
  const metas = names.filter((name) => name.endsWith(META_END));
  const found: StoredVersion[] = [];
  for (const [at, name] of metas.entries()) {
    if (at % STEP === STEP - 1) await setImmediate();
    const version = readVersion(readPrivateNow(join(folder, name), MAX_META) ?? "");
    if (version !== null && isPlaced(version, name, contentId)) found.push(version);
  }
  found.sort((a, b) => compareVersionIds(a.version_id, b.version_id));
  return {
    versions: found.filter((version) => there.has(textName(version))),
    kept: found.filter((version) => !there.has(textName(version))),
  };
};

export const writeVersion = async (folder: string, version: StoredVersion, text: string): Promise<void> => {
  if (!FORMAT.test(version.format)) throw new HostError(`a version has the format ${version.format}`);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const [textPath, metaPath] = [join(folder, textName(version)), join(folder, metaName(version))];
  const textDraft = await writeBeside(textPath, text);
  const metaDraft = await writeBeside(metaPath, JSON.stringify(version));
  await rename(textDraft, textPath);
  await rename(metaDraft, metaPath);
  await syncFolder(folder);
};

/** Null: it is not there any more, or not as it was. */
export const readText = async (folder: string, version: StoredVersion): Promise<string | null> => {
  const text = await readPrivate(join(folder, textName(version)), version.size_bytes);
  const isWhole = text !== null && Buffer.byteLength(text) === version.size_bytes;
  return isWhole && contentHash(text) === version.content_hash ? text : null;
};

export interface Dropping {
  readonly versions: readonly StoredVersion[];
  /** What is known of them stays. */
  readonly keepMeta: boolean;
}

export const dropVersions = async (folder: string, { versions, keepMeta }: Dropping): Promise<void> => {
  for (const version of versions) {
    if (!keepMeta) await rm(join(folder, metaName(version)), { force: true });
    await rm(join(folder, textName(version)), { force: true });
  }
  try {
    await syncFolder(folder);
    await rmdir(folder);
  } catch (error) {
    if (!isAbsent(error) && (error as NodeJS.ErrnoException).code !== "ENOTEMPTY") throw error;
  }
};

/** What an interruption left over, older than that: nothing stands for it, and nobody still writes it. */
export const dropLeftovers = async (folder: string, before: Date): Promise<void> => {
  const names = await namesIn(folder);
  const metas = new Set(names.filter((name) => name.endsWith(META_END)));
  for (const name of names) {
    const isText = !name.endsWith(META_END) && metas.has(`${name.slice(0, name.lastIndexOf("."))}${META_END}`);
    if (metas.has(name) || (isText && !name.endsWith(DRAFT_END))) continue;
    await dropOlder(join(folder, name), before);
  }
};

const textName = ({ version_id: id, format }: StoredVersion): string => `${versionFileName(id)}.${format}`;
const metaName = ({ version_id: id }: StoredVersion): string => `${versionFileName(id)}${META_END}`;

/** It says of itself that it belongs here: nothing in it leads elsewhere. */
const isPlaced = (version: StoredVersion, name: string, contentId: string): boolean =>
  version.content_id === contentId &&
  isVersionId(version.version_id) &&
  FORMAT.test(version.format) &&
  metaName(version) === name;

const namesIn = async (folder: string): Promise<string[]> => {
  try {
    return await readdir(folder);
  } catch (error) {
    if (isAbsent(error)) return [];
    throw error;
  }
};
