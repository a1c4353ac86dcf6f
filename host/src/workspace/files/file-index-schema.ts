/**
 * The tables of `index.db`. `total` spares counting. `loose` names bytes that belong to no file: of a create that has not ended,
 * or of a file that is deleted. `label` holds no text, only where which three characters occur. No `seq` is given twice: what
 * is known of the text of a file is kept elsewhere (`text-index.ts`) under it.
 */
import type { DatabaseSync } from "node:sqlite";
import { HostError } from "../../kernel/host-error.ts";

const FORMAT = 1;

const SCHEMA = `
CREATE TABLE file (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  filename TEXT NOT NULL,
  mime TEXT NOT NULL,
  type TEXT NOT NULL,
  size INTEGER NOT NULL,
  sha256 TEXT NOT NULL,
  tags TEXT NOT NULL,
  description TEXT,
  created_at TEXT NOT NULL,
  created_by TEXT NOT NULL,
  has_text INTEGER NOT NULL
) STRICT;
CREATE INDEX file_created ON file (created_at, id);
CREATE INDEX file_named ON file (filename COLLATE NOCASE, id);
CREATE INDEX file_sized ON file (size, id);
CREATE INDEX file_typed ON file (type);

CREATE TABLE tagged (name TEXT NOT NULL, seq INTEGER NOT NULL, PRIMARY KEY (name, seq)) STRICT, WITHOUT ROWID;
CREATE TABLE total (one INTEGER PRIMARY KEY CHECK (one = 1), files INTEGER NOT NULL, bytes INTEGER NOT NULL) STRICT;
INSERT INTO total VALUES (1, 0, 0);
CREATE TABLE loose (id TEXT PRIMARY KEY) STRICT, WITHOUT ROWID;

CREATE VIRTUAL TABLE label USING fts5(
  filename, rest, content = '', contentless_delete = 1, tokenize = 'trigram remove_diacritics 1');

CREATE TRIGGER file_added AFTER INSERT ON file BEGIN
  UPDATE total SET files = files + 1, bytes = bytes + NEW.size;
  INSERT INTO tagged SELECT value, NEW.seq FROM json_each(NEW.tags);
END;
CREATE TRIGGER file_tagged AFTER UPDATE OF tags ON file BEGIN
  DELETE FROM tagged WHERE seq = NEW.seq AND name IN (SELECT value FROM json_each(OLD.tags));
  INSERT INTO tagged SELECT value, NEW.seq FROM json_each(NEW.tags);
END;
CREATE TRIGGER file_removed AFTER DELETE ON file BEGIN
  UPDATE total SET files = files - 1, bytes = bytes - OLD.size;
  DELETE FROM tagged WHERE seq = OLD.seq AND name IN (SELECT value FROM json_each(OLD.tags));
  DELETE FROM label WHERE rowid = OLD.seq;
END;
`;

export const prepareFileIndex = (db: DatabaseSync, path: string): void => {
  db.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA cache_size = -512");
  const { user_version: format } = db.prepare("PRAGMA user_version").get() as { user_version: number };
  if (format > FORMAT)
    throw new HostError(`${path} has format ${format}, this version reads up to ${FORMAT}: update bailiwick`);
  if (format < FORMAT) db.exec(`BEGIN IMMEDIATE; ${SCHEMA} PRAGMA user_version = ${FORMAT}; COMMIT`);
};
