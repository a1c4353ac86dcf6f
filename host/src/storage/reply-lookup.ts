/** Looks for a key in the whole segments of the index of replies, newest first, those only whose sieves do not rule it out. */
import type { DatabaseSync, StatementSync } from "node:sqlite";
import { KEY_BYTES, viewOf, wordsIn, type KeyWords } from "./key-words.ts";
import { BUCKET_ENTRY_BYTES, bucketId, bucketOf, rowAt } from "./reply-index.ts";
import { SegmentSieves } from "./segment-sieves.ts";

export class ReplyLookup {
  readonly #sieves: SegmentSieves;
  readonly #bucket: StatementSync;

  constructor(db: DatabaseSync) {
    this.#sieves = new SegmentSieves(db, "answer_segment");
    this.#bucket = db.prepare("SELECT entries FROM answer_bucket WHERE id = ?");
  }

  /** Takes in segments that were finished since, and forgets those that are gone. */
  refresh(): void {
    this.#sieves.refresh();
  }

  /** The last row with this key, or null. */
  latest(key: KeyWords): number | null {
    for (const segment of this.#sieves.mayHold(key)) {
      const entries = this.#bucket.get(bucketId(segment, bucketOf(key)))?.["entries"];
      const row = entries instanceof Uint8Array ? rowIn(viewOf(entries), key) : null;
      if (row !== null) return row;
    }
    return null;
  }
}

/** The highest. */
const rowIn = (entries: DataView, key: KeyWords): number | null => {
  let row: number | null = null;
  for (let at = 0; at < entries.byteLength; at += BUCKET_ENTRY_BYTES) {
    const words = wordsIn(entries, at);
    if (words.every((word, i) => word === key[i])) row = Math.max(row ?? 0, rowAt(entries, at + KEY_BYTES));
  }
  return row;
};
