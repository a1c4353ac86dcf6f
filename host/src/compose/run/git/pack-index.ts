/** Where an object begins in a pack, by the pack's index (version 2, which git has written since 2008). */
import { type GitFolder, readAt } from "./git-folder.ts";

const MAGIC = 0xff744f63;
const HEAD = 8;
const FANOUT = 256 * 4;
const ID_BYTES = 20;
const MAX_BUCKET = 1_000_000;

/** Null: it is not in that pack, or the index cannot be read. */
export const findInPack = async (folder: GitFolder, name: string, id: string): Promise<number | null> => {
  const file = await folder.open(name);
  if (file === null) return null;
  const read = (position: number, length: number): Promise<Buffer> => readAt(file, position, length);
  try {
    const head = await read(0, HEAD + FANOUT);
    if (head.length < HEAD + FANOUT || head.readUInt32BE(0) !== MAGIC || head.readUInt32BE(4) !== 2) return null;
    const wanted = Buffer.from(id, "hex");
    const countTo = (first: number): number => (first < 0 ? 0 : head.readUInt32BE(HEAD + first * 4));
    const [from, to, total] = [countTo(wanted[0]! - 1), countTo(wanted[0]!), countTo(255)];
    if (to <= from || to > total || to - from > MAX_BUCKET) return null;
    const ids = await read(HEAD + FANOUT + from * ID_BYTES, (to - from) * ID_BYTES);
    const at = findId(ids, wanted);
    if (at === null) return null;
    const offsets = HEAD + FANOUT + total * (ID_BYTES + 4);
    const near = await read(offsets + (from + at) * 4, 4);
    if (near.length < 4) return null;
    const offset = near.readUInt32BE(0);
    if (offset < 0x8000_0000) return offset;
    const far = await read(offsets + total * 4 + (offset - 0x8000_0000) * 8, 8);
    const beyond = far.length < 8 ? NaN : Number(far.readBigUInt64BE(0));
    return Number.isSafeInteger(beyond) ? beyond : null;
  } finally {
    await file.close();
  }
};

/** They are sorted. */
const findId = (ids: Buffer, wanted: Buffer): number | null => {
  let [low, high] = [0, Math.floor(ids.length / ID_BYTES)];
  while (low < high) {
    const middle = (low + high) >>> 1;
    const order = wanted.compare(ids, middle * ID_BYTES, (middle + 1) * ID_BYTES);
    if (order === 0) return middle;
    if (order < 0) high = middle;
    else low = middle + 1;
  }
  return null;
};
