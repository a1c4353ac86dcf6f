/**
 * Writes the answers that are given again when a call is repeated, in the transaction of the call's last event and sealed: of
 * their texts nothing reaches the file in the open. Those of a commit stand in the row of its events where they are short, else
 * in a row of their own. After 24 hours they go, a few rows with each commit, or the key that they are sealed with, and so do
 * the segments of their index once nothing of them is left.
 */
import type { DatabaseSync, StatementSync } from "node:sqlite";
import { AnswerKeys } from "./answer-keys.ts";
import { CarriedRows, pointTo, readCarried, writeCarried } from "./carried-answers.ts";
import { takeOverReplies } from "./earlier-replies.ts";
import { KEY_BYTES, viewOf, wordsIn } from "./key-words.ts";
import {
  blobOf,
  ENTRY_BYTES,
  eventsOfEntry,
  KEEP_MS,
  openLines,
  sealLines,
  writeEntry,
  type ReplyEvents,
} from "./replies-format.ts";
import { bucketId, ReplyIndex } from "./reply-index.ts";
import type { RowSeal } from "./row-seal.ts";
import { UnindexedKeys } from "./unindexed-keys.ts";

/** What stands in the row of its events stays there sealed when its key is gone, so it is at most this part of them. */
const CARRIED_PART = 1 / 4;
const EXPIRE_ROWS = 8;
const EXPIRE_BUCKETS = 32;
const FEW_ENTRIES = 64;
const NOTHING = Buffer.alloc(0);

export interface NewReply extends ReplyEvents {
  /** 128 bits in hex. */
  readonly key: string;
  readonly text: string;
}

export class RepliesTable {
  readonly #seal: RowSeal | null;
  /** Null: the log is in memory, and nothing is carried. */
  readonly #answerKeys: AnswerKeys | null;
  readonly #index: ReplyIndex;
  readonly #insert: StatementSync;
  readonly #oldestRow: StatementSync;
  readonly #expire: StatementSync;
  readonly #deadSegment: StatementSync;
  readonly #oldestSegment: StatementSync;
  readonly #dropSegment: StatementSync;
  readonly #dropBuckets: StatementSync;
  readonly #rowsOf: StatementSync;
  readonly #rewrite: StatementSync;
  /** The row of the small ones of this commit; its number is 0 while there are none. */
  #first = 0;
  #count = 0;
  #keys = Buffer.allocUnsafe(FEW_ENTRIES * ENTRY_BYTES);
  #entries = viewOf(this.#keys);
  #texts = "";
  /** What is kept longest: its row, and when it was written, or the last that shares its key. Infinity: nothing is. */
  #oldest: { readonly first: number; readonly at: number };
  /** Whether segments of what is gone, or buckets of such segments, may be left. */
  #hasDead = true;
  #lastRow: number;
  #newestCarried: number;

  /** `seal` null: the log is in memory. */
  constructor(db: DatabaseSync, seal: RowSeal | null) {
    takeOverReplies(db, seal);
    this.#seal = seal;
    this.#answerKeys = seal && new AnswerKeys(db, seal);
    const carried = new CarriedRows(db);
    this.#newestCarried = carried.newest();
    this.#index = new ReplyIndex(db);
    this.#insert = db.prepare("INSERT INTO answer (first, at, keys, texts) VALUES (?, ?, ?, ?)");
    this.#oldestRow = db.prepare("SELECT first, at FROM answer ORDER BY first LIMIT 1");
    this.#expire = db.prepare(
      "DELETE FROM answer WHERE at < ? AND first IN (SELECT first FROM answer ORDER BY first LIMIT ?)",
    );
    this.#deadSegment = db.prepare(
      "SELECT id FROM answer_segment WHERE upto < ? AND id < (SELECT max(id) FROM answer_segment) ORDER BY id LIMIT 1",
    );
    this.#oldestSegment = db.prepare("SELECT min(id) AS id FROM answer_segment");
    this.#dropSegment = db.prepare("DELETE FROM answer_segment WHERE id = ?");
    this.#dropBuckets = db.prepare(
      "DELETE FROM answer_bucket WHERE id IN (SELECT id FROM answer_bucket WHERE id < ? ORDER BY id LIMIT ?)",
    );
    this.#rowsOf = db.prepare("SELECT first, keys, texts FROM answer WHERE first BETWEEN ? AND ?");
    this.#rewrite = db.prepare("UPDATE answer SET keys = ?, texts = ? WHERE first = ?");
    this.#lastRow = this.#index.indexed;
    // All that this may write of the index is one commit.
    db.exec("BEGIN IMMEDIATE");
    const unindexed = new UnindexedKeys(db, carried, this.#answerKeys).after(this.#index.indexed);
    for (const { row, keys } of unindexed) this.#addKeys(keys, row);
    // As after any commit, so that large replies of the next one cannot fill the list.
    this.#index.advance(this.#lastRow);
    db.exec("COMMIT");
    this.#oldest = this.#readOldest();
  }

  /** Sequences rise. Durable with `flush` and the commit after it. */
  add(reply: NewReply): void {
    if (this.#count === 0) this.#first = reply.ended.sequence;
    const place = this.#count++ * ENTRY_BYTES;
    if (place === this.#keys.length) this.#grow();
    writeEntry(this.#entries, place, reply.key, reply, this.#first);
    this.#texts += place === 0 ? reply.text : `\n${reply.text}`;
  }

  /** In a row of its own. */
  addLarge(reply: NewReply, at: number): void {
    const keys = Buffer.allocUnsafe(ENTRY_BYTES);
    writeEntry(viewOf(keys), 0, reply.key, reply, reply.ended.sequence);
    this.#write(reply.ended.sequence, at, keys, reply.text);
  }

  /**
   * At the end of a batch whose events have so many characters. Costs nothing when there is nothing to write and nothing has
   * expired. Returns what is to stand in the row of the events.
   */
  flush(at: number, eventChars: number): Uint8Array | null {
    const carried = this.#count > 0 ? this.#settle(at, eventChars) : null;
    if (this.#lastRow > this.#index.indexed) this.#index.advance(this.#lastRow);
    if (this.#oldest.at < at - KEEP_MS) this.#expireSlice(at - KEEP_MS);
    if (this.#hasDead) this.#dropDead();
    return carried ?? pointTo(this.#newestCarried);
  }

  /** At a clean end. */
  close(): void {
    this.#index.flush(this.#lastRow);
  }

  /** Empties what belongs to these events, all of which lie between the two, both included. */
  purge(sequences: ReadonlySet<number>, [from, to]: readonly [number, number]): void {
    for (const row of this.#rowsOf.all(from, to)) {
      const first = Number(row["first"]);
      const stored = { row: first, keys: blobOf(row["keys"]), texts: blobOf(row["texts"]) };
      const left = without(stored, sequences, this.#seal);
      if (left !== null) this.#rewrite.run(left.keys, left.texts, first);
    }
  }

  /** What stands in that row of the log, without what belongs to these of its events. */
  purgeCarried(column: Uint8Array | null, sequences: ReadonlySet<number>): Uint8Array | null {
    const carried = column && readCarried(blobOf(column));
    if (carried === null) return column;
    const left = without(carried, sequences, this.#answerKeys?.of(carried.row) ?? null);
    return left === null ? column : writeCarried({ ...carried, ...left });
  }

  /** Null: they are in a row of their own. */
  #settle(at: number, eventChars: number): Buffer | null {
    const [row, texts] = [this.#first, this.#texts];
    const keys = this.#keys.subarray(0, this.#count * ENTRY_BYTES);
    this.#count = 0;
    this.#texts = "";
    if (this.#answerKeys === null || keys.length + Buffer.byteLength(texts) > eventChars * CARRIED_PART) {
      this.#write(row, at, keys, texts);
      return null;
    }
    const sealed = this.#answerKeys.sealFor(row, at).seal(texts);
    const column = writeCarried({ row, previous: this.#newestCarried, keys, texts: sealed });
    this.#newestCarried = row;
    this.#remember(row, keys);
    return column;
  }

  #grow(): void {
    this.#keys = Buffer.concat([this.#keys, this.#keys]);
    this.#entries = viewOf(this.#keys);
  }

  #write(first: number, at: number, keys: Buffer, texts: string): void {
    this.#insert.run(first, at, keys, sealLines(texts, this.#seal));
    this.#remember(first, keys);
  }

  #remember(row: number, keys: Buffer): void {
    this.#addKeys(keys, row);
    if (this.#oldest.at === Infinity) this.#oldest = this.#readOldest();
  }

  #addKeys(keys: Buffer, row: number): void {
    const entries = viewOf(keys);
    for (let at = 0; at < keys.length; at += ENTRY_BYTES) this.#index.add(wordsIn(entries, at), row);
    this.#lastRow = Math.max(this.#lastRow, row);
  }

  #readOldest(): { readonly first: number; readonly at: number } {
    const row = this.#oldestRow.get();
    const key = this.#answerKeys?.oldest();
    return {
      first: Math.min(Number(row?.["first"] ?? Infinity), key?.first ?? Infinity),
      at: Math.min(Number(row?.["at"] ?? Infinity), key?.until ?? Infinity),
    };
  }

  #expireSlice(before: number): void {
    this.#expire.run(before, EXPIRE_ROWS);
    this.#answerKeys?.destroy(before);
    this.#oldest = this.#readOldest();
    this.#hasDead = true;
  }

  #dropDead(): void {
    const dead = this.#deadSegment.get(Math.min(this.#oldest.first, Number.MAX_SAFE_INTEGER))?.["id"] ?? null;
    if (dead !== null) this.#dropSegment.run(Number(dead));
    const oldest = bucketId(Number(this.#oldestSegment.get()?.["id"] ?? 0), 0);
    const { changes } = this.#dropBuckets.run(oldest, EXPIRE_BUCKETS);
    this.#hasDead = dead !== null || Number(changes) > 0;
  }
}

interface StoredAnswers {
  readonly row: number;
  readonly keys: Buffer;
  readonly texts: Uint8Array;
}

/** What is left without those of these events: of each neither the text nor its key, which says who called. Null: all is. */
const without = (
  { row, keys, texts }: StoredAnswers,
  sequences: ReadonlySet<number>,
  seal: RowSeal | null,
): Pick<StoredAnswers, "keys" | "texts"> | null => {
  const purged = new Set<number>();
  const left = Buffer.from(keys);
  for (let place = 0; place < keys.length / ENTRY_BYTES; place++) {
    if (!sequences.has(eventsOfEntry(keys, place, row).ended.sequence)) continue;
    purged.add(place);
    left.fill(0, place * ENTRY_BYTES, place * ENTRY_BYTES + KEY_BYTES);
  }
  if (purged.size === 0) return null;
  const kept = openLines(blobOf(texts), seal)?.map((line, place) => (purged.has(place) ? "" : line));
  // Of what cannot be read nothing is left, but that there was something: no other of its calls is made again.
  return { keys: left, texts: kept === undefined ? NOTHING : sealLines(kept.join("\n"), seal) };
};
