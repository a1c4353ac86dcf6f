/**
 * Finds an answer by its key, from the thread that asks. Most keys have never been seen, and of those the sieves know without
 * a look at the file; for the rest it is one look at the rows that came since the last time, a seek in the segment of the
 * index that may hold it, one row. The connection is opened on first use.
 */
import { DatabaseSync, type StatementSync } from "node:sqlite";
import type { KeptReply } from "../kernel/evidence.ts";
import { KeySieve, sievePlaces } from "./key-sieve.ts";
import { KEEP_MS, KEY_CHARS, linesOfRow, placeOf, REPLY_TABLES, unpackReply } from "./replies-format.ts";
import type { RowSeal } from "./row-seal.ts";
import { SegmentLookup } from "./segment-lookup.ts";

const BUSY_MS = 2000;
/** Rows are looked at after so many keys at the latest, so that none has many to look at. */
const CATCH_UP_AFTER = 4096;
/** More keys than can be on their way into the file. */
const MAX_UNDER_WAY = 131_072;
/** Nobody can make anything of it, so the call is not made again. */
const UNREADABLE: KeptReply = Object.freeze({ text: "", eventIds: [] });

interface Statements {
  readonly db: DatabaseSync;
  readonly indexed: StatementSync;
  readonly newer: StatementSync;
  readonly row: StatementSync;
  readonly whole: SegmentLookup;
}

const open = (path: string): Statements => {
  const db = new DatabaseSync(path, { readOnly: true, timeout: BUSY_MS });
  return {
    db,
    indexed: db.prepare("SELECT upto FROM reply_segment ORDER BY id DESC LIMIT 1"),
    newer: db.prepare("SELECT first, keys FROM reply WHERE first > ? ORDER BY first"),
    row: db.prepare("SELECT at, keys, texts, sealed FROM reply WHERE first = ?"),
    whole: new SegmentLookup(db, REPLY_TABLES, sievePlaces),
  };
};

export class RepliesReader {
  readonly #path: string;
  readonly #seal: RowSeal;
  #statements: Statements | null = null;
  #closed = false;
  /** Rows of replies that no whole segment has yet. */
  readonly #tail = new Map<string, number>();
  #indexed = 0;
  #seen = 0;

  /** Keys of this run that may have come after the last look at the rows, and how many there were when it was full. */
  #full: { readonly sieve: KeySieve; readonly noted: number }[] = [];
  #current = new KeySieve();
  #noted = 0;
  /** How many there were at the last look that succeeded. */
  #notedAtLook = -Infinity;

  constructor(path: string, seal: RowSeal) {
    this.#path = path;
    this.#seal = seal;
  }

  /** A reply with this key is on its way into the file. */
  note(key: string): void {
    const places = sievePlaces(key);
    // The answer comes soon after its intent, under the same key.
    if (this.#current.mayHave(places)) return;
    if (this.#current.isFull) {
      this.#full.push({ sieve: this.#current, noted: this.#noted });
      this.#current = new KeySieve();
    }
    this.#noted++;
    this.#current.add(places);
  }

  find(key: string, now: number): KeptReply | null {
    if (this.#closed) return null;
    this.#statements ??= open(this.#path);
    if (this.#mayBeNew(key)) this.#catchUp(this.#statements);
    const { row, whole } = this.#statements;
    const first = this.#tail.get(key) ?? whole.latest(key);
    if (first === null) return null;
    const found = row.get(first);
    if (found === undefined || Number(found["at"]) < now - KEEP_MS) return null;
    const lines = linesOfRow(found, this.#seal);
    return lines === null ? UNREADABLE : unpackReply(lines[placeOf(String(found["keys"]), key)] ?? "");
  }

  close(): void {
    this.#closed = true;
    this.#statements?.db.close();
    this.#statements = null;
  }

  #mayBeNew(key: string): boolean {
    if (this.#noted - this.#notedAtLook >= CATCH_UP_AFTER) return true;
    const places = sievePlaces(key);
    return this.#current.mayHave(places) || this.#full.some(({ sieve }) => sieve.mayHave(places));
  }

  #catchUp({ indexed, newer, whole }: Statements): void {
    const upto = Number(indexed.get()?.["upto"] ?? 0);
    if (upto !== this.#indexed) {
      this.#indexed = upto;
      whole.refresh();
      for (const [key, first] of this.#tail) if (first <= upto) this.#tail.delete(key);
      this.#seen = Math.max(this.#seen, upto);
    }
    for (const row of newer.iterate(this.#seen)) {
      const keys = String(row["keys"]);
      this.#seen = Number(row["first"]);
      for (let i = 0; i < keys.length; i += KEY_CHARS) this.#tail.set(keys.slice(i, i + KEY_CHARS), this.#seen);
    }
    this.#notedAtLook = this.#noted;
    // What was noted so long ago is in the file or never will be.
    this.#full = this.#full.filter(({ noted }) => this.#noted - noted < MAX_UNDER_WAY);
  }
}
