/**
 * Writes the answers that are given again when a call is repeated, in the transaction of the call's last event and sealed: of
 * their texts nothing reaches the file in the open. After 24
 * hours they go, a few rows with each commit, and so do the segments of their index once no row of them is left.
 */
import type { DatabaseSync, StatementSync } from "node:sqlite";
import { sievePlaces } from "./key-sieve.ts";
import type { Reply } from "../kernel/evidence.ts";
import {
  KEEP_MS,
  KEY_CHARS,
  LARGE_CHARS,
  linesOfRow,
  packReply,
  REPLY_TABLES,
  SEGMENT_REPLIES,
} from "./replies-format.ts";
import type { RowSeal } from "./row-seal.ts";
import { SegmentIndex } from "./segment-index.ts";

const EXPIRE_ROWS = 8;
const EXPIRE_KEYS = 512;

interface NewReply extends Reply {
  /** Joined. */
  readonly eventIds: string;
}

interface Row {
  keys: string;
  sequences: string;
  texts: string;
}

const NOTHING = new Uint8Array();

export class RepliesTable {
  readonly #seal: RowSeal | null;
  readonly #index: SegmentIndex;
  readonly #insert: StatementSync;
  readonly #oldest: StatementSync;
  readonly #expire: StatementSync;
  readonly #deadSegment: StatementSync;
  readonly #dropSegment: StatementSync;
  readonly #dropKeys: StatementSync;
  readonly #rowsOf: StatementSync;
  readonly #rewrite: StatementSync;
  #small: { readonly first: number; readonly row: Row } | null = null;
  #oldestAt: number;
  /** Whether keys of segments that are gone may be left. */
  #hasDeadKeys = true;
  #lastRow = 0;

  /** `seal` null: the log is in memory. */
  constructor(db: DatabaseSync, seal: RowSeal | null) {
    this.#seal = seal;
    const tables = { tables: REPLY_TABLES, size: SEGMENT_REPLIES, measure: "entries" } as const;
    this.#index = new SegmentIndex(db, { ...tables, latestOnly: true, placesOf: sievePlaces });
    this.#insert = db.prepare(
      "INSERT INTO reply (first, at, keys, sequences, texts, sealed) VALUES (?, ?, ?, ?, ?, ?)",
    );
    this.#oldest = db.prepare("SELECT first, at FROM reply ORDER BY first LIMIT 1");
    this.#expire = db.prepare(
      "DELETE FROM reply WHERE at < ? AND first IN (SELECT first FROM reply ORDER BY first LIMIT ?)",
    );
    this.#deadSegment = db.prepare(
      "SELECT id FROM reply_segment WHERE upto < ? AND id < (SELECT max(id) FROM reply_segment) ORDER BY id LIMIT 1",
    );
    this.#dropSegment = db.prepare("DELETE FROM reply_segment WHERE id = ?");
    this.#dropKeys = db.prepare(
      `DELETE FROM reply_key WHERE (segment, key, reply) IN (SELECT segment, key, reply FROM reply_key
       WHERE segment < (SELECT min(id) FROM reply_segment) ORDER BY segment, key LIMIT ?)`,
    );
    this.#rowsOf = db.prepare("SELECT first, sequences, texts, sealed FROM reply WHERE first BETWEEN ? AND ?");
    this.#rewrite = db.prepare("UPDATE reply SET texts = ?, sealed = ? WHERE first = ?");
    const tail = db.prepare("SELECT first, keys FROM reply WHERE first > ? ORDER BY first");
    for (const row of tail.iterate(this.#index.indexed)) this.#addKeys(String(row["keys"]), Number(row["first"]));
    this.#index.restored(this.#lastRow);
    this.#oldestAt = this.#readOldest().at;
  }

  /** Sequences rise. Durable with `flush` and the commit after it. */
  add(reply: NewReply, place: { readonly sequence: number; readonly at: number }): void {
    const { sequence } = place;
    const { key } = reply;
    const text = packReply(reply.text, reply.eventIds);
    if (text.length > LARGE_CHARS) {
      this.#write(sequence, place.at, { keys: key, sequences: String(sequence), texts: text });
      return;
    }
    if (this.#small === null) {
      this.#small = { first: sequence, row: { keys: key, sequences: String(sequence), texts: text } };
      return;
    }
    const { row } = this.#small;
    row.keys += key;
    row.sequences += `,${sequence}`;
    row.texts += `\n${text}`;
  }

  /** At the end of a batch. Costs nothing when there is nothing to write and nothing has expired. */
  flush(at: number): void {
    if (this.#small !== null) {
      const { first, row } = this.#small;
      this.#small = null;
      this.#write(first, at, row);
    }
    if (this.#lastRow > this.#index.indexed) this.#index.advance(this.#lastRow);
    if (this.#oldestAt < at - KEEP_MS) this.#expireSlice(at - KEEP_MS);
    if (this.#hasDeadKeys) this.#hasDeadKeys = Number(this.#dropKeys.run(EXPIRE_KEYS).changes) > 0;
  }

  /** At a clean end. */
  close(): void {
    this.#index.flush();
  }

  /** Empties what belongs to these events, all of which lie between the two, both included. */
  purge(sequences: ReadonlySet<number>, [from, to]: readonly [number, number]): void {
    for (const row of this.#rowsOf.all(from, to)) {
      const owners = String(row["sequences"]).split(",");
      if (!owners.some((each) => sequences.has(Number(each)))) continue;
      const lines = linesOfRow(row, this.#seal);
      const kept = lines?.map((line, i) => (sequences.has(Number(owners[i])) ? "" : line));
      // Of what cannot be read nothing is left, but that there was something: none of its calls is made again.
      if (kept === undefined) this.#rewrite.run("", NOTHING, Number(row["first"]));
      else this.#rewrite.run(...this.#asStored(kept.join("\n")), Number(row["first"]));
    }
  }

  /** Texts in the open, and sealed. */
  #asStored(texts: string): [texts: string, sealed: Uint8Array | null] {
    return this.#seal === null ? [texts, null] : ["", this.#seal.seal(texts)];
  }

  #write(first: number, at: number, row: Row): void {
    this.#insert.run(first, at, row.keys, row.sequences, ...this.#asStored(row.texts));
    this.#addKeys(row.keys, first);
    if (this.#oldestAt === Infinity) this.#oldestAt = at;
  }

  #addKeys(keys: string, first: number): void {
    for (let i = 0; i < keys.length; i += KEY_CHARS) this.#index.add(keys.slice(i, i + KEY_CHARS), first);
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
    this.#hasDeadKeys = true;
  }
}
