/**
 * Brings an archive into a file of ours and says what its bytes are. What the other side announces about its size is for
 * the progress display only; what arrives is counted.
 */
import { createHash } from "node:crypto";
import { constants } from "node:fs";
import { open, type FileHandle } from "node:fs/promises";
import type { Readable } from "node:stream";
import type { NetworkRules } from "../legs/network-guard.ts";
import type { LocateProgress } from "../located.ts";
import { openUrl } from "./open-url.ts";
import { refuseSource } from "./refuse-source.ts";
import type { SourceLimits } from "./sources-options.ts";

export interface FetchArchiveOptions {
  /** The file to make. */
  readonly into: string;
  readonly limits: SourceLimits;
  readonly signal: AbortSignal;
}

export interface DownloadOptions extends FetchArchiveOptions {
  readonly rules: NetworkRules;
  /** For people: `echo 1.2.0`. */
  readonly what: string;
  /** As a registry announced it. */
  readonly size: number | null;
  readonly onProgress: (progress: LocateProgress) => void;
}

const PROGRESS_BYTES = 1024 * 1024;

/** `sha256:<hex>` of what arrived. Rejects with an Error for people. */
export const downloadArchive = async (url: URL, options: DownloadOptions): Promise<string> => {
  const { rules, limits, onProgress, what } = options;
  const tooLate = AbortSignal.timeout(limits.downloadMs);
  const signal = AbortSignal.any([options.signal, tooLate]);
  try {
    const answer = await openUrl(url, {
      rules,
      signal,
      accept: "application/octet-stream, */*",
      idleMs: limits.idleMs,
    });
    try {
      if (answer.status !== 200) throw new Error(`${url.origin} answered with HTTP status ${answer.status}`);
      const total = options.size ?? announced(answer.headers["content-length"]);
      const say = (bytes: number): void =>
        onProgress({ message: `downloading ${what}`, bytes, ...(total === null ? {} : { total }) });
      return await pour(answer.body, { ...options, say });
    } finally {
      await answer.close();
    }
  } catch (error) {
    options.signal.throwIfAborted();
    if (tooLate.aborted) throw new Error(`the download took longer than ${limits.downloadMs} ms`, { cause: error });
    throw error;
  }
};

/** The same for a file of this machine, so that what is hashed and what is unpacked cannot differ. */
export const copyArchive = (file: string, options: FetchArchiveOptions): Promise<string> =>
  readWhole(file, (body) => pour(body, { ...options, say: () => {} }));

/** `sha256:<hex>` of a file. */
export const hashArchive = (file: string, { limits, signal }: Omit<FetchArchiveOptions, "into">): Promise<string> =>
  readWhole(file, (body) => pour(body, { into: null, limits, signal, say: () => {} }));

const readWhole = async (file: string, use: (body: Readable) => Promise<string>): Promise<string> => {
  // Without O_NONBLOCK a named pipe in the place of the file would hold the start for ever.
  const handle = await open(file, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    if (!(await handle.stat()).isFile()) throw refuseSource(`${file} is not a regular file.`, "Put the archive there.");
    return await use(handle.createReadStream({ autoClose: false }));
  } finally {
    await handle.close();
  }
};

interface Pouring extends Omit<FetchArchiveOptions, "into"> {
  readonly into: string | null;
  readonly say: (bytes: number) => void;
}

const pour = async (body: Readable, { into, limits, signal, say }: Pouring): Promise<string> => {
  const hash = createHash("sha256");
  const file: FileHandle | null = into === null ? null : await open(into, "wx", 0o600);
  let bytes = 0;
  let said = 0;
  try {
    say(0);
    for await (const part of body as AsyncIterable<Buffer>) {
      signal.throwIfAborted();
      bytes += part.length;
      if (bytes > limits.maxBytes) {
        throw refuseSource(
          `The archive has more than ${limits.maxBytes} bytes, which is the most the host takes.`,
          "Use a smaller bundle, or unpack it yourself and use `path`.",
        );
      }
      hash.update(part);
      await file?.writeFile(part);
      if (bytes - said < PROGRESS_BYTES) continue;
      said = bytes;
      say(bytes);
    }
  } finally {
    await file?.close();
  }
  say(bytes);
  return `sha256:${hash.digest("hex")}`;
};

const announced = (header: string | string[] | undefined): number | null =>
  typeof header === "string" && /^\d{1,15}$/.test(header) ? Number(header) : null;
