/**
 * The tables of `evidence.db`. `batch` is the log: one row per group commit, its events as canonical lines joined by
 * `\n`, appended and never changed but by retention, which empties lines or withholds a payload while `unlocked` has a row;
 * before them, because a row is read from its beginning, the lowest sequence still open and the correlation ids of the batch
 * (canonical, joined by `\n`); after them the answers that `carried-answers.ts` puts there. `tile` and `leaf` keep the hashes of
 * the log's tree for ever, `checkpoint` its signed heads. `state`, `answer` and `payload` stand beside the log, `answer_key` is
 * what the answers in it are sealed with. Everything else can be rebuilt from it.
 */
import type { DatabaseSync } from "node:sqlite";

export const EVIDENCE_FILE = "evidence.db";
const FORMAT = 6;

const SCHEMA = `
CREATE TABLE IF NOT EXISTS batch (
  first INTEGER PRIMARY KEY,
  count INTEGER NOT NULL CHECK (count > 0),
  open_from INTEGER,
  correlations TEXT NOT NULL,
  events TEXT NOT NULL,
  answers BLOB
) STRICT;
CREATE TABLE IF NOT EXISTS unlocked (id INTEGER PRIMARY KEY) STRICT;
DROP TRIGGER IF EXISTS batch_no_update;
CREATE TRIGGER batch_no_update BEFORE UPDATE ON batch
WHEN NOT EXISTS (SELECT 1 FROM unlocked) OR NEW.first <> OLD.first OR NEW.count <> OLD.count
BEGIN SELECT RAISE(ABORT, 'the evidence log is append-only: no update'); END;
CREATE TRIGGER IF NOT EXISTS batch_no_delete BEFORE DELETE ON batch
BEGIN SELECT RAISE(ABORT, 'the evidence log is append-only: no delete'); END;
CREATE TRIGGER IF NOT EXISTS batch_no_gap BEFORE INSERT ON batch
WHEN NEW.first <> coalesce((SELECT first + count FROM batch ORDER BY first DESC LIMIT 1), 1)
BEGIN SELECT RAISE(ABORT, 'the evidence log is append-only: sequence out of order'); END;

CREATE TABLE IF NOT EXISTS segment (id INTEGER PRIMARY KEY, upto INTEGER NOT NULL, sieve BLOB) STRICT;
CREATE TABLE IF NOT EXISTS correlation (
  segment INTEGER NOT NULL,
  correlation_id TEXT NOT NULL,
  batch INTEGER NOT NULL,
  PRIMARY KEY (segment, correlation_id, batch)
) STRICT, WITHOUT ROWID;

CREATE TABLE IF NOT EXISTS retention (id INTEGER PRIMARY KEY, next INTEGER NOT NULL, holds TEXT NOT NULL) STRICT;
CREATE TABLE IF NOT EXISTS carried (sequence INTEGER PRIMARY KEY, call TEXT NOT NULL) STRICT;
CREATE TABLE IF NOT EXISTS probe (id INTEGER PRIMARY KEY, at TEXT NOT NULL) STRICT;

CREATE TABLE IF NOT EXISTS tile (id INTEGER PRIMARY KEY, root BLOB NOT NULL, hashes BLOB NOT NULL) STRICT;
CREATE TABLE IF NOT EXISTS leaf (sequence INTEGER PRIMARY KEY, hash BLOB NOT NULL) STRICT;
CREATE TABLE IF NOT EXISTS checkpoint (tree_size INTEGER PRIMARY KEY, text TEXT NOT NULL) STRICT;
CREATE TRIGGER IF NOT EXISTS tile_no_update BEFORE UPDATE ON tile
BEGIN SELECT RAISE(ABORT, 'the evidence log is append-only: no update'); END;
CREATE TRIGGER IF NOT EXISTS tile_no_delete BEFORE DELETE ON tile
BEGIN SELECT RAISE(ABORT, 'the evidence log is append-only: no delete'); END;
CREATE TRIGGER IF NOT EXISTS checkpoint_no_update BEFORE UPDATE ON checkpoint
BEGIN SELECT RAISE(ABORT, 'the evidence log is append-only: no update'); END;
CREATE TRIGGER IF NOT EXISTS checkpoint_no_delete BEFORE DELETE ON checkpoint
BEGIN SELECT RAISE(ABORT, 'the evidence log is append-only: no delete'); END;

CREATE TABLE IF NOT EXISTS state (
  space TEXT NOT NULL,
  key TEXT NOT NULL,
  value TEXT NOT NULL,
  goes_with TEXT,
  PRIMARY KEY (space, key)
) STRICT, WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS state_by_correlation ON state (goes_with) WHERE goes_with IS NOT NULL;

CREATE TABLE IF NOT EXISTS payload (
  sequence INTEGER PRIMARY KEY,
  correlation_id TEXT NOT NULL,
  sealed BLOB NOT NULL
) STRICT;
CREATE INDEX IF NOT EXISTS payload_by_correlation ON payload (correlation_id);
CREATE TABLE IF NOT EXISTS payload_key (correlation_id TEXT PRIMARY KEY, sealed TEXT NOT NULL) STRICT, WITHOUT ROWID;

CREATE TABLE IF NOT EXISTS answer (
  first INTEGER PRIMARY KEY,
  at INTEGER NOT NULL,
  keys BLOB NOT NULL,
  texts BLOB NOT NULL
) STRICT;
CREATE TABLE IF NOT EXISTS answer_key (first INTEGER PRIMARY KEY, at INTEGER NOT NULL, sealed BLOB NOT NULL) STRICT;
CREATE TABLE IF NOT EXISTS answer_segment (id INTEGER PRIMARY KEY, upto INTEGER NOT NULL, sieve BLOB NOT NULL) STRICT;
CREATE TABLE IF NOT EXISTS answer_bucket (id INTEGER PRIMARY KEY, entries BLOB NOT NULL) STRICT;
`;

/** Makes the tables where they are missing. Throws an Error fit for people when the file is of a later format. */
export const prepareSchema = (db: DatabaseSync): void => {
  const row = db.prepare("PRAGMA user_version").get() as { user_version: number };
  if (row.user_version > FORMAT) {
    throw new Error(
      `the evidence log has format ${row.user_version}, this version reads up to ${FORMAT}: update bailiwick`,
    );
  }
  if (row.user_version === FORMAT) return;
  const added = LATER_COLUMNS.filter(([table, column]) => lacks(db, table, column));
  const changes = added.map(([table, column, type]) => `ALTER TABLE ${table} ADD COLUMN ${column} ${type};`).join(" ");
  db.exec(`BEGIN IMMEDIATE; ${changes} ${SCHEMA} PRAGMA user_version = ${FORMAT}; COMMIT`);
};

/** Of tables that an earlier format had without them. */
const LATER_COLUMNS = [
  ["batch", "answers", "BLOB"],
  ["segment", "sieve", "BLOB"],
  ["state", "goes_with", "TEXT"],
] as const;

const lacks = (db: DatabaseSync, table: string, column: string): boolean => {
  const columns = db.prepare("SELECT name FROM pragma_table_info(?)").all(table);
  return columns.length > 0 && columns.every(({ name }) => name !== column);
};
