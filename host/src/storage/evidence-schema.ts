/**
 * The tables of `evidence.db`. `batch` is the log: one row per group commit, its events as canonical lines joined by
 * `\n`, appended and never changed; before them, because a row is read from its beginning, the lowest sequence still open
 * and the correlation ids of the batch (canonical, joined by `\n`). Everything else can be rebuilt from it.
 */
import type { DatabaseSync } from "node:sqlite";

export const EVIDENCE_FILE = "evidence.db";
const FORMAT = 1;

const SCHEMA = `
CREATE TABLE IF NOT EXISTS batch (
  first INTEGER PRIMARY KEY,
  count INTEGER NOT NULL CHECK (count > 0),
  open_from INTEGER,
  correlations TEXT NOT NULL,
  events TEXT NOT NULL
) STRICT;
CREATE TRIGGER IF NOT EXISTS batch_no_update BEFORE UPDATE ON batch
BEGIN SELECT RAISE(ABORT, 'the evidence log is append-only: no update'); END;
CREATE TRIGGER IF NOT EXISTS batch_no_delete BEFORE DELETE ON batch
BEGIN SELECT RAISE(ABORT, 'the evidence log is append-only: no delete'); END;
CREATE TRIGGER IF NOT EXISTS batch_no_gap BEFORE INSERT ON batch
WHEN NEW.first <> coalesce((SELECT first + count FROM batch ORDER BY first DESC LIMIT 1), 1)
BEGIN SELECT RAISE(ABORT, 'the evidence log is append-only: sequence out of order'); END;

CREATE TABLE IF NOT EXISTS segment (id INTEGER PRIMARY KEY, upto INTEGER NOT NULL) STRICT;
CREATE TABLE IF NOT EXISTS correlation (
  segment INTEGER NOT NULL,
  correlation_id TEXT NOT NULL,
  batch INTEGER NOT NULL,
  PRIMARY KEY (segment, correlation_id, batch)
) STRICT, WITHOUT ROWID;

CREATE TABLE IF NOT EXISTS carried (sequence INTEGER PRIMARY KEY, call TEXT NOT NULL) STRICT;
CREATE TABLE IF NOT EXISTS probe (id INTEGER PRIMARY KEY, at TEXT NOT NULL) STRICT;
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
  db.exec(`BEGIN IMMEDIATE; ${SCHEMA} PRAGMA user_version = ${FORMAT}; COMMIT`);
};
