/**
 * Reads the table of contents of an archive and refuses what must not be unpacked: names that lead elsewhere, links, two
 * things in one place, too many, too much. Nothing is written here.
 */
import { dirname } from "node:path";
import type { Entry } from "yauzl";
import type { Refusal } from "../../kernel/refusal.ts";
import { findPathFault } from "./find-path-fault.ts";
import type { OpenedArchive } from "./open-archive.ts";
import { refuseSource } from "./refuse-source.ts";
import type { SourceLimits } from "./sources-options.ts";

export interface ArchivedFile {
  readonly path: string;
  readonly isProgram: boolean;
  readonly entry: Entry;
}

export interface ArchiveContents {
  /** Parents before their children. */
  readonly folders: readonly string[];
  readonly files: readonly ArchivedFile[];
}

export interface JudgeOptions {
  /** For people: what the archive is called. */
  readonly what: string;
  readonly limits: SourceLimits;
  readonly signal: AbortSignal;
}

const KIND_BITS = 0o170000;
const KIND_FILE = 0o100000;
const KIND_FOLDER = 0o040000;
const KIND_LINK = 0o120000;
const NOTHING = Buffer.alloc(0);

export const refuseArchive = (what: string, why: string): Refusal =>
  refuseSource(`${what} is refused: ${why}.`, "Ask its author for a correct archive, made with: mcpb pack");

export const tooBig = ({ maxBytes }: SourceLimits): string => `it unpacks to more than ${maxBytes} bytes`;

export const judgeArchive = async (archive: OpenedArchive, options: JudgeOptions): Promise<ArchiveContents> => {
  const { what, limits, signal } = options;
  const tooMany = `it has more than ${limits.maxFiles} files`;
  if (archive.zip.entryCount > 2 * limits.maxFiles) throw refuseArchive(what, tooMany);
  const taken: Taken = { kinds: new Map(), folders: new Set() };
  const files: ArchivedFile[] = [];
  let bytes = 0;
  for await (const entry of archive.zip.eachEntry()) {
    signal.throwIfAborted();
    const path = archive.nameOf(entry);
    const fault = findPathFault(path) ?? findKindFault(entry, path) ?? takePlace(path, taken);
    if (fault !== null) throw refuseArchive(what, `${JSON.stringify(path.slice(0, 200))}: ${fault}`);
    if (taken.folders.size > limits.maxFiles) throw refuseArchive(what, `it has more than ${limits.maxFiles} folders`);
    if (path.endsWith("/")) continue;
    bytes += entry.uncompressedSize;
    if (bytes > limits.maxBytes) throw refuseArchive(what, tooBig(limits));
    const isProgram = ((entry.externalFileAttributes >>> 16) & 0o111) !== 0;
    if (files.push({ path, isProgram, entry: slim(entry) }) > limits.maxFiles) throw refuseArchive(what, tooMany);
  }
  return { folders: [...taken.folders], files };
};

/** Lets go of texts that may be long, so that a table of contents cannot fill the memory. */
const slim = (entry: Entry): Entry =>
  Object.assign(
    entry,
    { fileNameRaw: NOTHING, extraFieldRaw: NOTHING, fileCommentRaw: NOTHING, extraFields: [] },
    {
      fileName: "",
      fileComment: "",
      comment: "",
    },
  );

const findKindFault = (entry: Entry, path: string): string | null => {
  if (entry.isEncrypted()) return "it is encrypted";
  const kind = (entry.externalFileAttributes >>> 16) & KIND_BITS;
  if (kind === KIND_LINK) return "it is a link";
  if (kind === 0) return null;
  if (kind === KIND_FOLDER) return path.endsWith("/") ? null : "it is a folder without the name of one";
  return kind === KIND_FILE && !path.endsWith("/") ? null : "it is neither a file nor a folder";
};

interface Taken {
  /** By the path as a file system that ignores case sees it. */
  readonly kinds: Map<string, "file" | "folder">;
  /** Exact. */
  readonly folders: Set<string>;
}

const TWICE = "there is another one of that name";

const takePlace = (path: string, taken: Taken): string | null => {
  if (path.endsWith("/")) return takeFolder(path.slice(0, -1), taken);
  const fault = takeFolder(dirname(path), taken);
  if (fault !== null) return fault;
  const key = keyOf(path);
  if (taken.kinds.has(key)) return TWICE;
  taken.kinds.set(key, "file");
  return null;
};

/** A folder may be named often, once by each file in it. */
const takeFolder = (path: string, taken: Taken): string | null => {
  if (path === "." || taken.folders.has(path)) return null;
  const fault = takeFolder(dirname(path), taken);
  if (fault !== null) return fault;
  const key = keyOf(path);
  if (taken.kinds.get(key) === "file") return TWICE;
  taken.kinds.set(key, "folder");
  taken.folders.add(path);
  return null;
};

const keyOf = (path: string): string => path.normalize("NFC").toLowerCase();
