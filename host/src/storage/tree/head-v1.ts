/**
 * The log's head of scheme chp-store-head-v1: SHA-256 over the last content hash of each correlation, by correlation id. It
 * needs all of them, so they are kept in a file of their own (`heads.db`), which follows the log and can be thrown away.
 * Purged correlations have no head: after a purge the file is made anew. Takes seconds for a long log, so it has a thread.
 */
import { createHash } from "node:crypto";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { contentHashOfLine, correlationOfLine } from "../event-line.ts";
import { EVIDENCE_FILE } from "../evidence-schema.ts";
import { makePrivate } from "../store-file.ts";

const HEADS_FILE = "heads.db";
const MAX_REMEMBERED = 10_000;
const PURGED = '"event_type": "evidence_purged"';

const SCHEMA = `
PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;
CREATE TABLE IF NOT EXISTS head (correlation_id TEXT PRIMARY KEY, hash TEXT NOT NULL) STRICT, WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS followed (id INTEGER PRIMARY KEY, upto INTEGER NOT NULL, hash TEXT NOT NULL) STRICT;
CREATE TABLE IF NOT EXISTS remembered (sequence INTEGER PRIMARY KEY, head TEXT NOT NULL) STRICT;
INSERT OR IGNORE INTO followed (id, upto, hash) VALUES (1, 0, '');
`;

class Heads {
  readonly #log: DatabaseSync;
  readonly #heads: DatabaseSync;
  #upto: number;

  constructor(dir: string) {
    this.#log = new DatabaseSync(join(dir, EVIDENCE_FILE), { readOnly: true, timeout: 5000 });
    const path = join(dir, HEADS_FILE);
    makePrivate(path);
    this.#heads = new DatabaseSync(path, { timeout: 5000 });
    this.#heads.exec(SCHEMA);
    this.#upto = this.#readFollowed();
  }

  /** Null when the file is past this sequence and nobody asked for it then. */
  at(sequence: number): string | null {
    const known = this.#heads.prepare("SELECT head FROM remembered WHERE sequence = ?").get(sequence);
    if (known !== undefined) return String(known["head"]);
    if (sequence < this.#upto) return null;
    this.#heads.exec("BEGIN IMMEDIATE");
    if (!this.#follow(sequence)) {
      this.#heads.exec("DELETE FROM head");
      this.#upto = 0;
      this.#follow(sequence);
    }
    const head = this.#digest();
    this.#heads.prepare("INSERT INTO remembered (sequence, head) VALUES (?, ?)").run(sequence, head);
    this.#heads
      .prepare(
        "DELETE FROM remembered WHERE sequence NOT IN (SELECT sequence FROM remembered ORDER BY sequence DESC LIMIT ?)",
      )
      .run(MAX_REMEMBERED);
    this.#heads
      .prepare("UPDATE followed SET upto = ?, hash = ?")
      .run(sequence, contentHashOfLine(this.#lineOf(sequence)));
    this.#heads.exec("COMMIT");
    this.#upto = sequence;
    return head;
  }

  close(): void {
    this.#heads.close();
    this.#log.close();
  }

  /** How far the file has come with this very log; it may have been left by another one. */
  #readFollowed(): number {
    const row = this.#heads.prepare("SELECT upto, hash FROM followed").get();
    const upto = Number(row?.["upto"]);
    if (upto === 0) return 0;
    const line = this.#lineOf(upto);
    if (line !== "" && contentHashOfLine(line) === String(row?.["hash"])) return upto;
    this.#heads.exec("DELETE FROM head; DELETE FROM remembered; UPDATE followed SET upto = 0");
    return 0;
  }

  #lineOf(sequence: number): string {
    const row = this.#log
      .prepare("SELECT first, events FROM batch WHERE first <= ? ORDER BY first DESC LIMIT 1")
      .get(sequence);
    return String(row?.["events"] ?? "").split("\n")[sequence - Number(row?.["first"])] ?? "";
  }

  /** Takes over the events up to this one; false when something that was taken over before is purged now. */
  #follow(sequence: number): boolean {
    const from = this.#upto;
    const put = this.#heads.prepare("INSERT OR REPLACE INTO head (correlation_id, hash) VALUES (?, ?)");
    const rows = this.#log.prepare(
      `SELECT first, events FROM batch WHERE first <= ? AND
       first >= coalesce((SELECT first FROM batch WHERE first <= ? ORDER BY first DESC LIMIT 1), 1) ORDER BY first`,
    );
    for (const row of rows.iterate(sequence, from + 1)) {
      const lines = String(row["events"]).split("\n");
      for (const [i, line] of lines.entries()) {
        const at = Number(row["first"]) + i;
        if (line === "" || at <= from || at > sequence) continue;
        if (from > 0 && line.includes(PURGED)) return false;
        put.run(correlationOfLine(line), contentHashOfLine(line));
      }
    }
    return true;
  }

  /** The order of SQLite's texts is that of their UTF-8 bytes, which is that of their code points. */
  #digest(): string {
    const hash = createHash("sha256");
    const rows = this.#heads.prepare("SELECT correlation_id, hash FROM head ORDER BY correlation_id");
    for (const row of rows.iterate()) hash.update(`${String(row["correlation_id"])}\0${String(row["hash"])}\n`);
    return hash.digest("hex");
  }
}

/** Heads at these sequences, in rising order. */
export const headsV1At = (dir: string, sequences: readonly number[]): (string | null)[] => {
  const heads = new Heads(dir);
  try {
    return sequences.map((sequence) => heads.at(sequence));
  } finally {
    heads.close();
  }
};
