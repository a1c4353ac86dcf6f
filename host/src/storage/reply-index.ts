/**
 * Which row holds the latest reply of a key, filled behind the log so that no acknowledgement waits for it: new keys stay in
 * memory (the tail); when there are enough, they are written as one segment, a part in each of the following transactions:
 * 256 buckets by the first byte of the key, a row each, of entries of 22 bytes (16 of the key, 6 of the row's number). A
 * restart rebuilds the tail from the rows after the last whole segment; buckets of an unfinished segment are written again.
 * A key that came again is there as often; its highest row is the one that counts.
 */
import type { DatabaseSync, StatementSync } from "node:sqlite";
import { KeySieve } from "./key-sieve.ts";
import { KeyList } from "./key-list.ts";
import { KEY_BYTES, viewOf, writeWords, type KeyWords } from "./key-words.ts";

const BUCKETS = 256;
const ROW_BYTES = 6;
const LOW_BITS = 2 ** 32;
export const BUCKET_ENTRY_BYTES = KEY_BYTES + ROW_BYTES;
/** Keys of a segment, unless a single commit brings more. */
export const SEGMENT_KEYS = 16_384;
const MAX_KEYS = 2 * SEGMENT_KEYS;
/** Written with one commit. */
const BUCKETS_AT_ONCE = 16;

export const bucketOf = (key: KeyWords): number => key[0] >>> 24;
export const bucketId = (segment: number, bucket: number): number => segment * BUCKETS + bucket;

interface Freezing {
  readonly keys: KeyList;
  /** Places in the list of each bucket. */
  readonly buckets: readonly number[][];
  readonly sieve: KeySieve;
  readonly upto: number;
  written: number;
}

export class ReplyIndex {
  readonly #write: StatementSync;
  readonly #finish: StatementSync;
  #tail: KeyList | null = null;
  #freezing: Freezing | null = null;
  #segment: number;
  #indexed: number;

  constructor(db: DatabaseSync) {
    const row = db.prepare("SELECT max(id) AS id, max(upto) AS upto FROM answer_segment").get();
    this.#segment = Number(row?.["id"] ?? 0) + 1;
    this.#indexed = Number(row?.["upto"] ?? 0);
    this.#write = db.prepare("INSERT OR REPLACE INTO answer_bucket (id, entries) VALUES (?, ?)");
    this.#finish = db.prepare("INSERT INTO answer_segment (id, upto, sieve) VALUES (?, ?, ?)");
  }

  /** The last row that whole segments cover. */
  get indexed(): number {
    return this.#indexed;
  }

  /** When the list is full, rows below this one are complete: large replies of a commit come first, and are too few to fill it. */
  add(key: KeyWords, row: number): void {
    if (this.#tail?.isFull) this.#freeze(this.#tail, row - 1);
    this.#tail ??= new KeyList(MAX_KEYS);
    this.#tail.add(key, row);
  }

  /** After a commit whose last row this is. */
  advance(last: number): void {
    if (this.#tail !== null && this.#tail.size >= SEGMENT_KEYS) this.#freeze(this.#tail, last);
    if (this.#freezing !== null) this.#writeSome(this.#freezing, BUCKETS_AT_ONCE);
  }

  /** At a clean end: writes the tail if it is long enough to be worth a segment of its own. */
  flush(last: number): void {
    if (this.#tail !== null && this.#tail.size >= SEGMENT_KEYS / 4) this.#freeze(this.#tail, last);
    if (this.#freezing !== null) this.#writeSome(this.#freezing, BUCKETS);
  }

  #freeze(keys: KeyList, upto: number): void {
    if (this.#freezing !== null) this.#writeSome(this.#freezing, BUCKETS);
    const buckets: number[][] = Array.from({ length: BUCKETS }, () => []);
    const sieve = new KeySieve();
    for (let place = 0; place < keys.size; place++) {
      const key = keys.keyAt(place);
      buckets[bucketOf(key)]?.push(place);
      sieve.add(key);
    }
    this.#freezing = { keys, buckets, sieve, upto, written: 0 };
    this.#tail = null;
  }

  #writeSome(freezing: Freezing, count: number): void {
    const { keys, buckets, sieve, upto } = freezing;
    const end = Math.min(BUCKETS, freezing.written + count);
    for (; freezing.written < end; freezing.written++) {
      const places = buckets[freezing.written] ?? [];
      this.#write.run(bucketId(this.#segment, freezing.written), entriesOf(keys, places));
    }
    if (end < BUCKETS) return;
    this.#finish.run(this.#segment, upto, sieve.bytes);
    this.#indexed = upto;
    this.#segment++;
    this.#freezing = null;
  }
}

const entriesOf = (keys: KeyList, places: readonly number[]): Buffer => {
  const bytes = Buffer.allocUnsafe(places.length * BUCKET_ENTRY_BYTES);
  const entries = viewOf(bytes);
  for (let i = 0; i < places.length; i++) {
    const [at, place] = [i * BUCKET_ENTRY_BYTES, places[i] ?? 0];
    const row = keys.rowAt(place);
    writeWords(entries, at, keys.keyAt(place));
    entries.setUint16(at + KEY_BYTES, row / LOW_BITS);
    entries.setUint32(at + KEY_BYTES + 2, row % LOW_BITS);
  }
  return bytes;
};

/** The number of the row, where that of an entry stands. */
export const rowAt = (entries: DataView, at: number): number =>
  entries.getUint16(at) * LOW_BITS + entries.getUint32(at + 2);
