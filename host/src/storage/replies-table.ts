/**
 * Writes the answers that are given again when a call is repeated, in the transaction of the call's last event and sealed: of
 * their texts nothing reaches the file in the open. After 24 hours they go, a few rows with each commit, and so do the
 * segments of their index once no row of them is left.
 */
import type { DatabaseSync, StatementSync } from "node:sqlite";
import { takeOverReplies } from "./earlier-replies.ts";
import { viewOf, wordsIn } from "./key-words.ts";
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
  readonly #index: ReplyIndex;
  readonly #insert: StatementSync;
  readonly #oldest: StatementSync;
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
  #oldestAt: number;
  /** Whether buckets of segments that are gone may be left. */
  #hasDeadBuckets = true;
  #lastRow: number;

  /** `seal` null: the log is in memory. */
  constructor(db: DatabaseSync, seal: RowSeal | null) {
    takeOverReplies(db, seal);
    this.#seal = seal;
    this.#index = new ReplyIndex(db);
    this.#insert = db.prepare("INSERT INTO answer (first, at, keys, texts) VALUES (?, ?, ?, ?)");
    this.#oldest = db.prepare("SELECT first, at FROM answer ORDER BY first LIMIT 1");
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
    this.#rewrite = db.prepare("UPDATE answer SET texts = ? WHERE first = ?");
    this.#lastRow = this.#index.indexed;
    const tail = db.prepare("SELECT first, keys FROM answer WHERE first > ? ORDER BY first");
    // All that this may write of the index is one commit.
    db.exec("BEGIN IMMEDIATE");
    for (const row of tail.iterate(this.#index.indexed)) this.#addKeys(blobOf(row["keys"]), Number(row["first"]));
    db.exec("COMMIT");
    this.#oldestAt = this.#readOldest().at;
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

  /** At the end of a batch. Costs nothing when there is nothing to write and nothing has expired. */
  flush(at: number): void {
    if (this.#count > 0) {
      const [count, texts] = [this.#count, this.#texts];
      this.#count = 0;
      this.#texts = "";
      this.#write(this.#first, at, this.#keys.subarray(0, count * ENTRY_BYTES), texts);
    }
    if (this.#lastRow > this.#index.indexed) this.#index.advance(this.#lastRow);
    if (this.#oldestAt < at - KEEP_MS) this.#expireSlice(at - KEEP_MS);
    if (this.#hasDeadBuckets) this.#dropDeadBuckets();
  }

  /** At a clean end. */
  close(): void {
    this.#index.flush(this.#lastRow);
  }

  /** Empties what belongs to these events, all of which lie between the two, both included. */
  purge(sequences: ReadonlySet<number>, [from, to]: readonly [number, number]): void {
    for (const row of this.#rowsOf.all(from, to)) {
      const [first, keys] = [Number(row["first"]), blobOf(row["keys"])];
      const isPurged = (_: unknown, place: number): boolean =>
        sequences.has(eventsOfEntry(keys, place, first).ended.sequence);
      const count = keys.length / ENTRY_BYTES;
      if (!Array.from({ length: count }).some(isPurged)) continue;
      const kept = openLines(blobOf(row["texts"]), this.#seal)?.map((line, i) => (isPurged(line, i) ? "" : line));
      // Of what cannot be read nothing is left, but that there was something: none of its calls is made again.
      this.#rewrite.run(kept === undefined ? NOTHING : sealLines(kept.join("\n"), this.#seal), first);
    }
  }

  #grow(): void {
    this.#keys = Buffer.concat([this.#keys, this.#keys]);
    this.#entries = viewOf(this.#keys);
  }

  #write(first: number, at: number, keys: Buffer, texts: string): void {
    this.#insert.run(first, at, keys, sealLines(texts, this.#seal));
    this.#addKeys(keys, first);
    if (this.#oldestAt === Infinity) this.#oldestAt = at;
  }

  #addKeys(keys: Buffer, first: number): void {
    const entries = viewOf(keys);
    for (let at = 0; at < keys.length; at += ENTRY_BYTES) this.#index.add(wordsIn(entries, at), first);
    this.#lastRow = Math.max(this.#lastRow, first);
  }

  #readOldest(): { readonly first: number; readonly at: number } {
    const row = this.#oldest.get();
    return row === undefined
      ? { first: Infinity, at: Infinity }
      : { first: Number(row["first"]), at: Number(row["at"]) };
  }

  #expireSlice(before: number): void {
    this.#expire.run(before, EXPIRE_ROWS);
    const oldest = this.#readOldest();
    this.#oldestAt = oldest.at;
    const dead = this.#deadSegment.get(Math.min(oldest.first, Number.MAX_SAFE_INTEGER))?.["id"];
    if (dead === undefined || dead === null) return;
    this.#dropSegment.run(Number(dead));
    this.#hasDeadBuckets = true;
  }

  #dropDeadBuckets(): void {
    const oldest = bucketId(Number(this.#oldestSegment.get()?.["id"] ?? 0), 0);
    this.#hasDeadBuckets = Number(this.#dropBuckets.run(oldest, EXPIRE_BUCKETS).changes) > 0;
  }
}
