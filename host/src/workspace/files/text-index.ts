/**
 * The words in the text files of one workspace, in `text.db` beside the index, which it reads and never writes. Everything
 * here follows from the index and the bytes: what is missing is caught up with, in the order of the files, and a database
 * that cannot be used is made anew. It holds no text, only where which three characters occur. For a thread of its own:
 * nothing here is quick.
 */
import { closeSync, openSync, readSync, rmSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync, type StatementSync } from "node:sqlite";
import { IndexReader } from "./index-reader.ts";
import { searchable } from "./search-terms.ts";
import { searchText } from "./search-text.ts";
import type { Hits, TextSearch } from "./text-messages.ts";
import { textHead } from "./text-of.ts";

const SEARCHED_BYTES = 200 * 1024;
/** One commit has no more files, and none that was begun after so many milliseconds. */
const MAX_FILES = 16;
const MAX_MS = 200;

/** What SQLite says of a database that is another's (1), broken (11) or none (26). */
const UNUSABLE: ReadonlySet<number> = new Set([1, 11, 26]);

const SCHEMA = `BEGIN IMMEDIATE;
CREATE TABLE IF NOT EXISTS kept (seq INTEGER PRIMARY KEY) STRICT;
CREATE TABLE IF NOT EXISTS progress (one INTEGER PRIMARY KEY CHECK (one = 1), seq INTEGER NOT NULL) STRICT;
INSERT OR IGNORE INTO progress VALUES (1, 0);
CREATE VIRTUAL TABLE IF NOT EXISTS content USING fts5(
  head, content = '', contentless_delete = 1, tokenize = 'trigram remove_diacritics 1');
COMMIT`;

export class TextIndex {
  readonly #data: string;
  readonly #index: IndexReader;
  readonly #db: DatabaseSync;
  readonly #match: StatementSync;

  constructor(folder: string) {
    this.#data = join(folder, "data");
    this.#index = new IndexReader(join(folder, "index.db"));
    try {
      this.#db = openText(join(folder, "text.db"), this.#index.lastSeq());
    } catch (error) {
      this.#index.close();
      throw error;
    }
    this.#match = this.#db.prepare("SELECT rowid FROM content WHERE content MATCH ? AND rowid BETWEEN ? AND ?");
    this.#dropGone();
  }

  /** Takes in some of what is missing; false when there is nothing more. `until`: ms since the epoch. */
  advance(until: number): boolean {
    const from = progressOf(this.#db);
    const next = this.#index.textsAfter(from, MAX_FILES);
    const stop = Math.min(until, Date.now() + MAX_MS);
    let done = 0;
    atomically(this.#db, () => {
      for (const { seq, id } of next) {
        if (done > 0 && Date.now() >= stop) break;
        this.#take(seq, id);
        done++;
      }
      const last = next[done - 1];
      if (last) this.#db.prepare("UPDATE progress SET seq = ?").run(last.seq);
    });
    return done < next.length || next.length === MAX_FILES;
  }

  /** The file is gone. */
  forget(seq: number): void {
    atomically(this.#db, () => {
      this.#db.prepare("DELETE FROM content WHERE rowid = ?").run(seq);
      this.#db.prepare("DELETE FROM kept WHERE seq = ?").run(seq);
    });
  }

  /** Null: there was not enough time. */
  search({ terms, filter, until }: TextSearch): Hits | null {
    const isLate = (): boolean => Date.now() >= until;
    const inText = (term: string, from: number, to: number): Iterable<unknown> => this.#match.iterate(term, from, to);
    return searchText({ index: this.#index, inText, isLate }, terms, filter);
  }

  close(): void {
    this.#db.close();
    this.#index.close();
  }

  #take(seq: number, id: string): void {
    const head = headOf(join(this.#data, id));
    if (head === null) return;
    this.#db.prepare("INSERT OR IGNORE INTO kept VALUES (?)").run(seq);
    this.#db.prepare("INSERT INTO content (rowid, head) VALUES (?, ?)").run(seq, searchable(head));
  }

  /** Those whose end nobody told of, since the host ended first. */
  #dropGone(): void {
    const there = this.#index.selected({});
    for (const row of this.#db.prepare("SELECT seq FROM kept").all()) {
      const { seq } = row as { seq: number };
      if (!there.has(seq)) this.forget(seq);
    }
  }
}

/** Null when it is gone, or cannot be read: then it is found by its labels alone. */
const headOf = (path: string): string | null => {
  try {
    const file = openSync(path, "r");
    try {
      const bytes = Buffer.alloc(SEARCHED_BYTES + 1);
      return textHead(bytes.subarray(0, readSync(file, bytes, 0, bytes.length, 0)), SEARCHED_BYTES);
    } finally {
      closeSync(file);
    }
  } catch {
    return null;
  }
};

/** `lastSeq` of the index; one that has seen more is of another index. */
const openText = (path: string, lastSeq: number): DatabaseSync => {
  try {
    const db = prepared(path);
    if (progressOf(db) <= lastSeq) return db;
    db.close();
  } catch (error) {
    const { errcode } = error as { errcode?: number };
    if (errcode === undefined || !UNUSABLE.has(errcode)) throw error;
  }
  for (const end of ["", "-wal", "-shm"]) rmSync(path + end, { force: true });
  return prepared(path);
};

/** The newest file that was taken in. */
const progressOf = (db: DatabaseSync): number => (db.prepare("SELECT seq FROM progress").get() as { seq: number }).seq;

const prepared = (path: string): DatabaseSync => {
  closeSync(openSync(path, "a", 0o600));
  const db = new DatabaseSync(path, { timeout: 5_000 });
  try {
    db.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA cache_size = -2048");
    db.exec(SCHEMA);
    progressOf(db);
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
};

const atomically = (db: DatabaseSync, work: () => void): void => {
  db.exec("BEGIN IMMEDIATE");
  try {
    work();
    db.exec("COMMIT");
  } catch (error) {
    if (db.isTransaction) db.exec("ROLLBACK");
    throw error;
  }
};
