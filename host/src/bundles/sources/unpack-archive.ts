/**
 * Takes the files out of an archive, into a folder that must be new, after all of its names were judged. Bytes are counted
 * as they come out, whatever the archive said of them. Links are never made.
 */
import { createWriteStream } from "node:fs";
import { chmod, mkdir } from "node:fs/promises";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { Refusal } from "../../kernel/refusal.ts";
import { judgeArchive, refuseArchive, tooBig, type ArchivedFile, type JudgeOptions } from "./judge-archive.ts";
import { openArchive, type OpenedArchive } from "./open-archive.ts";

export interface UnpackOptions extends JudgeOptions {
  /** Made by this; what lies there is the caller's to remove when this rejects. */
  readonly into: string;
}

const AT_ONCE = 4;

export const unpackArchive = async (file: string, options: UnpackOptions): Promise<void> => {
  const { what, signal } = options;
  let archive: OpenedArchive | null = null;
  try {
    archive = await openArchive(file);
    await unpackAll(archive, options);
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof Refusal) throw error;
    throw refuseArchive(what, `it cannot be read as a ZIP archive: ${(error as Error).message.slice(0, 300)}`);
  } finally {
    await archive?.close();
  }
};

const unpackAll = async (archive: OpenedArchive, options: UnpackOptions): Promise<void> => {
  const { into, limits } = options;
  const { folders, files } = await judgeArchive(archive, options);
  await mkdir(into, { mode: 0o700 });
  for (const folder of folders) await mkdir(join(into, folder), { recursive: true, mode: 0o755 });
  const failed = new AbortController();
  const signal = AbortSignal.any([options.signal, failed.signal]);
  const unpacking: Unpacking = { ...options, archive, signal, budget: { bytes: limits.maxBytes } };
  const waiting = files.values();
  const work = async (): Promise<void> => {
    for (const file of waiting) await write(file, unpacking);
  };
  // All of them have ended before this does: nobody writes into a folder that is being removed.
  const ends = await Promise.allSettled(
    Array.from({ length: AT_ONCE }, () =>
      work().catch((error: unknown) => {
        failed.abort(error);
        throw error;
      }),
    ),
  );
  if (ends.some(({ status }) => status === "rejected")) throw signal.reason as Error;
};

interface Unpacking extends UnpackOptions {
  readonly archive: OpenedArchive;
  /** What may still come out. */
  readonly budget: { bytes: number };
}

const write = async (file: ArchivedFile, { archive, into, what, limits, budget, signal }: Unpacking): Promise<void> => {
  signal.throwIfAborted();
  const count = async function* (parts: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    for await (const part of parts) {
      budget.bytes -= part.length;
      if (budget.bytes < 0) throw refuseArchive(what, tooBig(limits));
      yield part;
    }
  };
  const path = join(into, file.path);
  const body = await archive.zip.openReadStreamPromise(file.entry);
  await pipeline(body, count, createWriteStream(path, { flags: "wx", mode: 0o644 }), { signal });
  if (file.isProgram) await chmod(path, 0o755);
};
