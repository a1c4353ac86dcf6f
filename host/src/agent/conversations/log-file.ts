/**
 * A log on disk: opened only where a plain file lies, never through a link; read line by line; added to by one write and one
 * sync a line.
 */
import { constants } from "node:fs";
import { open, type FileHandle } from "node:fs/promises";
import { isMissing, notOnDisk } from "./conversation-refusals.ts";

export const MAX_LINE_BYTES = 64 << 20;
const CHUNK = 1 << 18;
const NEWLINE = 10;
const OTHERS = 0o077;

/** A pipe is not waited for. */
const SAFELY = constants.O_NOFOLLOW | constants.O_NONBLOCK;
const FLAGS = {
  read: constants.O_RDONLY | SAFELY,
  mend: constants.O_RDWR | SAFELY,
  append: constants.O_WRONLY | constants.O_APPEND | SAFELY,
};

/** Runs `work` on the file; null when no plain file lies there. */
export const withLog = async <T>(
  path: string,
  use: keyof typeof FLAGS,
  work: (file: FileHandle, size: number) => Promise<T>,
): Promise<T | null> => {
  let file: FileHandle | null = null;
  try {
    file = await open(path, FLAGS[use]);
    const found = await file.stat();
    if (!found.isFile()) return null;
    // Others could read it: it was copied here, or somebody opened it up.
    if (use !== "read" && (found.mode & OTHERS) !== 0 && found.uid === process.geteuid?.()) await file.chmod(0o600);
    return await work(file, found.size);
  } catch (error) {
    if (file === null && (isMissing(error) || NO_FILE.has((error as NodeJS.ErrnoException).code))) return null;
    throw notOnDisk(error, path);
  } finally {
    await file?.close();
  }
};

/** A link, a folder, a socket. */
const NO_FILE: ReadonlySet<string | undefined> = new Set(["ELOOP", "EISDIR", "ENXIO", "ENOTDIR"]);

export interface Line {
  /** Null: longer than any line that is written here. */
  readonly text: string | null;
  /** Where the next one begins. */
  readonly end: number;
  /** False: the last one, without its end. */
  readonly whole: boolean;
}

/** However long the file is, no more than a line and a chunk of it are in memory. */
export const eachLine = async (file: FileHandle, visit: (line: Line) => void): Promise<void> => {
  const chunk = Buffer.allocUnsafe(CHUNK);
  let begun: Buffer[] = [];
  let held = 0;
  let at = 0;
  const take = (part: Buffer, whole: boolean): void => {
    const long = held + part.length > MAX_LINE_BYTES;
    const text = long ? null : (begun.length === 0 ? part : Buffer.concat([...begun, part])).toString();
    begun = [];
    held = 0;
    visit({ text, end: at, whole });
  };
  for (;;) {
    const { bytesRead } = await file.read(chunk, 0, CHUNK, at);
    if (bytesRead === 0) break;
    const [read, base] = [chunk.subarray(0, bytesRead), at];
    let from = 0;
    for (let end = read.indexOf(NEWLINE); end !== -1; end = read.indexOf(NEWLINE, from)) {
      at = base + end + 1;
      take(read.subarray(from, end), true);
      from = end + 1;
    }
    at = base + bytesRead;
    held += bytesRead - from;
    if (held > MAX_LINE_BYTES) begun = [];
    else if (from < bytesRead) begun.push(Buffer.from(read.subarray(from)));
  }
  if (held > 0) take(Buffer.alloc(0), false);
};

/** All of it is durable, or the file is as it was. */
export const appendLine = async (file: FileHandle, line: Buffer, size: number): Promise<void> => {
  try {
    const { bytesWritten } = await file.write(line, 0, line.length);
    if (bytesWritten !== line.length)
      throw Object.assign(new Error("half a line"), { code: "ENOSPC", syscall: "write" });
    await file.datasync();
  } catch (error) {
    await file.truncate(size);
    await file.datasync();
    throw error;
  }
};

/** Bytes of one file, as they are, to the end of another. */
export const copyBytes = async (
  source: FileHandle,
  target: FileHandle,
  range: readonly [number, number],
): Promise<void> => {
  const chunk = Buffer.allocUnsafe(CHUNK);
  const [from, to] = range;
  for (let at = from; at < to;) {
    const { bytesRead } = await source.read(chunk, 0, Math.min(CHUNK, to - at), at);
    if (bytesRead === 0) break;
    await target.writeFile(chunk.subarray(0, bytesRead));
    at += bytesRead;
  }
};
