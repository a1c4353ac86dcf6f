/**
 * How replies stand in the file: the small ones of a commit in one row, a large one in a row of its own. `keys` has an entry
 * of 28 bytes for each: its key; how far its event is from the row's number and how many events are one with it; how far back
 * from there those are that the call began with (0: none are given back) and how many. `texts` has a line for each, in the
 * same order, all sealed together, because they hold whatever tools said. A row is named by the sequence of its first event,
 * so rows rise with the log. A purged reply is an empty text.
 */
import type { EventGroup } from "../kernel/evidence.ts";
import { KEY_BYTES, writeKey } from "./key-words.ts";
import type { RowSeal } from "./row-seal.ts";

export const KEEP_MS = 24 * 60 * 60 * 1000;
/** What the key is for that rows are sealed with. */
export const REPLIES_PURPOSE = "reply-rows";
/** Of a key in hex. */
export const KEY_CHARS = 2 * KEY_BYTES;

const DISTANCE_BYTES = 4;
const GROUP_BYTES = DISTANCE_BYTES + 2;
/** What began longer ago is not given back. */
const MAX_BACK = 2 ** 32 - 1;
export const ENTRY_BYTES = KEY_BYTES + 2 * GROUP_BYTES;

/** Which events a reply was written with, and which its call began with; null: those are not given back with it. */
export interface ReplyEvents {
  readonly ended: EventGroup;
  readonly begun: EventGroup | null;
}

/** In the row of this number. */
export const writeEntry = (
  into: DataView,
  at: number,
  key: string,
  { ended, begun }: ReplyEvents,
  row: number,
): void => {
  const back = begun === null ? 0 : ended.sequence - begun.sequence;
  const isNear = back <= MAX_BACK;
  writeKey(into, at, key);
  writeGroup(into, at + KEY_BYTES, ended.sequence - row, ended.count);
  writeGroup(into, at + KEY_BYTES + GROUP_BYTES, isNear ? back : 0, isNear && begun !== null ? begun.count : 0);
};

const writeGroup = (into: DataView, at: number, distance: number, count: number): void => {
  into.setUint32(at, distance);
  into.setUint16(at + DISTANCE_BYTES, count);
};

export const eventsOfEntry = (keys: Buffer, place: number, row: number): ReplyEvents => {
  const at = place * ENTRY_BYTES + KEY_BYTES;
  const ended = { sequence: row + keys.readUInt32BE(at), count: keys.readUInt16BE(at + DISTANCE_BYTES) };
  const back = keys.readUInt32BE(at + GROUP_BYTES);
  const begun = { sequence: ended.sequence - back, count: keys.readUInt16BE(at + GROUP_BYTES + DISTANCE_BYTES) };
  return { ended, begun: back === 0 ? null : begun };
};

/** Which of its entries is the last one with this key, or -1. */
export const placeOf = (keys: Buffer, key: string): number => {
  const wanted = Buffer.from(key, "hex");
  for (let place = keys.length / ENTRY_BYTES - 1; place >= 0; place--) {
    const at = place * ENTRY_BYTES;
    if (keys.compare(wanted, 0, KEY_BYTES, at, at + KEY_BYTES) === 0) return place;
  }
  return -1;
};

/** A blob of a row. */
export const blobOf = (value: unknown): Buffer =>
  value instanceof Uint8Array ? Buffer.from(value.buffer, value.byteOffset, value.length) : Buffer.alloc(0);

/** `seal` null: the log is in memory. */
export const sealLines = (lines: string, seal: RowSeal | null): Uint8Array =>
  seal === null ? Buffer.from(lines) : seal.seal(lines);

/** Null: they cannot be read. */
export const openLines = (texts: Buffer, seal: RowSeal | null): string[] | null => {
  const lines = seal === null ? texts.toString() : seal.unseal(texts);
  return lines === null ? null : lines.split("\n");
};
