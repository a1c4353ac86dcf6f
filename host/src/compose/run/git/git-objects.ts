/** The objects of a repository: those that lie alone, and those in packs. What alternates or a remote would give is not there. */
import { createHash } from "node:crypto";
import type { FileHandle } from "node:fs/promises";
import { generationFailed } from "../../generators/generation.ts";
import { applyDelta } from "./apply-delta.ts";
import { type GitFolder, readAt } from "./git-folder.ts";
import { findInPack } from "./pack-index.ts";

export type GitType = "commit" | "tree" | "blob" | "tag";

export interface GitObject {
  readonly type: GitType;
  readonly data: Buffer;
}

/** The library is loaded with the first repository that is read: few hosts ever do. */
const inflateAll = async (bytes: Buffer, maxOutputLength: number): Promise<Buffer> => {
  const { inflate } = await import("node:zlib");
  return new Promise((resolve, reject) => {
    inflate(bytes, { maxOutputLength }, (error, data) => (error === null ? resolve(data) : reject(error)));
  });
};
const TYPES: Readonly<Record<number, GitType>> = { 1: "commit", 2: "tree", 3: "blob", 4: "tag" };
const OFFSET_DELTA = 6;
const REF_DELTA = 7;
const MAX_CHAIN = 250;
const MAX_HEADER = 64;
const MAX_PACKS = 1_000;
const PACK = /^(pack-[0-9a-f]{40})\.idx$/;

const broken = (): Error => generationFailed("The repository holds an object that cannot be read");
const tooLarge = (limit: number): Error => generationFailed(`A file in the repository has more than ${limit} bytes`);

/** An object is what its id says, or it is none: whoever can write to the folder could put anything in its place. */
const sound = (id: string, object: GitObject): GitObject => {
  const { type, data } = object;
  if (createHash("sha1").update(`${type} ${data.length}\0`).update(data).digest("hex") === id) return object;
  throw generationFailed(`The object ${id} of the repository is damaged; run git fsck in it`);
};

interface InPack {
  readonly pack: FileHandle;
  readonly offset: number;
  /** How many differences lead here. */
  readonly chain: number;
}

export class GitObjects {
  readonly #folder: GitFolder;
  readonly #maxBytes: number;
  readonly #signal: AbortSignal;

  constructor(folder: GitFolder, { maxBytes, signal }: { readonly maxBytes: number; readonly signal: AbortSignal }) {
    this.#folder = folder;
    this.#maxBytes = maxBytes;
    this.#signal = signal;
  }

  /** `id`: 40 hex digits. */
  read(id: string): Promise<GitObject> {
    return this.#read(id, 0);
  }

  async #read(id: string, chain: number): Promise<GitObject> {
    this.#signal.throwIfAborted();
    const found = (await this.#readAlone(id)) ?? (await this.#readPacked(id, chain));
    if (found !== null) return sound(id, found);
    throw generationFailed(
      `The repository has no object ${id} of its own; what it shares with others or left at its remote is not read`,
    );
  }

  async #readAlone(id: string): Promise<GitObject | null> {
    const packed = await this.#folder.read(
      `objects/${id.slice(0, 2)}/${id.slice(2)}`,
      this.#maxBytes + MAX_HEADER * 64,
    );
    if (packed === null) return null;
    const whole = await this.#inflate(packed, this.#maxBytes + MAX_HEADER);
    const end = whole.subarray(0, MAX_HEADER).indexOf(0);
    const [, type, size] =
      /^(commit|tree|blob|tag) (\d{1,15})$/.exec(whole.toString("latin1", 0, Math.max(0, end))) ?? [];
    const data = whole.subarray(end + 1);
    if (type === undefined || Number(size) !== data.length) throw broken();
    if (data.length > this.#maxBytes) throw tooLarge(this.#maxBytes);
    return { type: type as GitType, data };
  }

  async #readPacked(id: string, chain: number): Promise<GitObject | null> {
    const packs = (await this.#folder.list("objects/pack")).flatMap((name) => PACK.exec(name)?.[1] ?? []);
    for (const name of packs.slice(0, MAX_PACKS)) {
      this.#signal.throwIfAborted();
      const offset = await findInPack(this.#folder, `objects/pack/${name}.idx`, id);
      const pack = offset === null ? null : await this.#folder.open(`objects/pack/${name}.pack`);
      if (offset === null || pack === null) continue;
      try {
        return await this.#unpack({ pack, offset, chain });
      } finally {
        await pack.close();
      }
    }
    return null;
  }

  async #unpack({ pack, offset, chain }: InPack): Promise<GitObject> {
    this.#signal.throwIfAborted();
    if (chain > MAX_CHAIN) throw broken();
    const head = await readAt(pack, offset, MAX_HEADER);
    const { kind, size, length } = readHeader(head);
    if (size > this.#maxBytes) throw tooLarge(this.#maxBytes);
    const type = TYPES[kind];
    if (type !== undefined) return { type, data: await this.#unpackData(pack, offset + length, size) };
    const { base, start } = await this.#findBase(
      { pack, offset, chain: chain + 1 },
      { kind, head: head.subarray(length) },
    );
    const delta = await this.#unpackData(pack, offset + length + start, size);
    return { type: base.type, data: applyDelta(base.data, delta, this.#maxBytes) };
  }

  async #findBase(
    { pack, offset, chain }: InPack,
    { kind, head }: { readonly kind: number; readonly head: Buffer },
  ): Promise<{ readonly base: GitObject; readonly start: number }> {
    if (kind === REF_DELTA) return { base: await this.#read(head.toString("hex", 0, 20), chain), start: 20 };
    if (kind !== OFFSET_DELTA) throw broken();
    const { value, length } = readDistance(head);
    if (value <= 0 || value > offset) throw broken();
    return { base: await this.#unpack({ pack, offset: offset - value, chain }), start: length };
  }

  /** How long it is in the pack is not said there; what follows it is left. */
  async #unpackData(pack: FileHandle, position: number, size: number): Promise<Buffer> {
    const most = size + Math.ceil(size / 1_000) + MAX_HEADER * 64;
    const data = await this.#inflate(await readAt(pack, position, most), size);
    if (data.length !== size) throw broken();
    return data;
  }

  async #inflate(bytes: Buffer, most: number): Promise<Buffer> {
    try {
      return await inflateAll(bytes, Math.max(1, most));
    } catch (error) {
      throw (error as NodeJS.ErrnoException).code === "ERR_BUFFER_TOO_LARGE" ? tooLarge(this.#maxBytes) : broken();
    }
  }
}

interface Header {
  readonly kind: number;
  readonly size: number;
  readonly length: number;
}

const byteAt = (bytes: Buffer, at: number): number => {
  const byte = bytes[at];
  if (byte === undefined) throw broken();
  return byte;
};

const readHeader = (head: Buffer): Header => {
  let byte = byteAt(head, 0);
  const kind = (byte >> 4) & 7;
  let size = byte & 15;
  let length = 1;
  for (let scale = 16; byte >= 128; scale *= 128) {
    if (length > 8) throw broken();
    byte = byteAt(head, length++);
    size += (byte & 127) * scale;
  }
  return { kind, size, length };
};

/** The highest bits come first, and each further byte stands for one more than it says. */
const readDistance = (head: Buffer): { readonly value: number; readonly length: number } => {
  let byte = byteAt(head, 0);
  let value = byte & 127;
  let length = 1;
  while (byte >= 128) {
    if (length > 7) throw broken();
    byte = byteAt(head, length++);
    value = (value + 1) * 128 + (byte & 127);
  }
  return { value, length };
};
