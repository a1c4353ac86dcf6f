/**
 * Opens a `.mcpb` archive, which is a ZIP file, and names its entries. A signature at its end is stepped over: the digest is
 * the identity.
 */
import { constants, read } from "node:fs";
import { open, type FileHandle } from "node:fs/promises";
import { Readable } from "node:stream";
import type { Entry, Options, ZipFile } from "yauzl";

export interface OpenedArchive {
  readonly zip: ZipFile;
  readonly nameOf: (entry: Entry) => string;
  readonly close: () => Promise<void>;
}

const SIGNATURE_START = "MCPB_SIG_V1";
const SIGNATURE_END = "MCPB_SIG_END";
const CHUNK_BYTES = 65_536;
const MAX_SIGNATURE_BYTES = 128 * 1024;

/** `decodeStrings: false` leaves the judgement of names to us. */
const OPTIONS: Options = { lazyEntries: true, autoClose: false, decodeStrings: false, validateEntrySizes: true };

/** Rejects with an Error for people when it is no archive. */
export const openArchive = async (file: string): Promise<OpenedArchive> => {
  const { getFileNameLowLevel } = await import("yauzl");
  // Without O_NONBLOCK a named pipe in the place of the file would hold the search for ever.
  const handle = await open(file, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const facts = await handle.stat();
    if (!facts.isFile()) throw new Error("it is not a regular file");
    const zip = await openZip(handle, facts.size);
    return {
      zip,
      nameOf: (entry) => getFileNameLowLevel(entry.generalPurposeBitFlag, entry.fileNameRaw, entry.extraFields, true),
      close: () => handle.close(),
    };
  } catch (error) {
    await handle.close();
    throw error;
  }
};

const openZip = async (handle: FileHandle, size: number): Promise<ZipFile> => {
  const { fromRandomAccessReaderPromise, RandomAccessReader } = await import("yauzl");
  class HandleReader extends RandomAccessReader {
    override _readStreamForRange(start: number, end: number): Readable {
      return Readable.from(readRange(handle, start, end), { objectMode: false });
    }
    override read(
      ...[buffer, offset, length, position, callback]: Parameters<InstanceType<typeof RandomAccessReader>["read"]>
    ): void {
      read(handle.fd, buffer, offset, length, position, (error, bytes) => {
        callback(error ?? (bytes < length ? new Error("it is cut off") : null));
      });
    }
  }
  try {
    return await fromRandomAccessReaderPromise(new HandleReader(), size, OPTIONS);
  } catch (error) {
    const unsigned = await sizeUnsigned(handle, size);
    if (unsigned === null) throw error;
    return fromRandomAccessReaderPromise(new HandleReader(), unsigned, OPTIONS);
  }
};

/** Not a stream of the handle's own: to destroy one closes the file. */
const readRange = async function* (handle: FileHandle, start: number, end: number): AsyncGenerator<Buffer> {
  for (let at = start; at < end;) {
    const length = Math.min(CHUNK_BYTES, end - at);
    const { buffer, bytesRead } = await handle.read(Buffer.allocUnsafe(length), 0, length, at);
    if (bytesRead === 0) throw new Error("it is cut off");
    yield buffer.subarray(0, bytesRead);
    at += bytesRead;
  }
};

/** Where the signature begins; null: there is none. */
const sizeUnsigned = async (handle: FileHandle, size: number): Promise<number | null> => {
  const length = Math.min(size, MAX_SIGNATURE_BYTES);
  const tail = Buffer.alloc(length);
  await handle.read(tail, 0, length, size - length);
  if (!tail.subarray(-SIGNATURE_END.length).equals(Buffer.from(SIGNATURE_END))) return null;
  const at = tail.lastIndexOf(SIGNATURE_START);
  return at === -1 ? null : size - length + at;
};
