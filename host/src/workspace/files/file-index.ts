/**
 * The index of one workspace's files: what is known of each without its bytes. Looking up an id, adding, tagging and removing
 * are a fixed number of indexed reads and writes, however many files there are. One process at a time has it open; the lock of
 * the work directory sees to that.
 */
import { closeSync, openSync } from "node:fs";
import type { DatabaseSync, StatementSync } from "node:sqlite";
import type { FileInfo, FilePage, FileQuery } from "../../kernel/files.ts";
import { prepareFileIndex } from "./file-index-schema.ts";
import { fileUri } from "./file-id.ts";
import { conditionOf, orderOf, type Filter } from "./file-selection.ts";
import { bareType } from "./mime-type-of.ts";
import { searchable } from "./search-terms.ts";

export const FIND_FILE = "SELECT * FROM file WHERE id = ?";
export const FIND_TOTALS = "SELECT files, bytes FROM total WHERE one = 1";
const ADD_FILE = `INSERT INTO file (id, filename, mime, type, size, sha256, tags, description, created_at, created_by, has_text)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING seq`;

export interface Totals {
  readonly files: number;
  readonly bytes: number;
}

interface Removed {
  /** Its number, under which its text may be known. */
  readonly seq: number;
  readonly hasText: boolean;
}

interface FileRow {
  readonly seq: number;
  readonly id: string;
  readonly filename: string;
  readonly mime: string;
  readonly size: number;
  readonly sha256: string;
  readonly tags: string;
  readonly description: string | null;
  readonly created_at: string;
  readonly created_by: string;
}

export class FileIndex {
  readonly #db: DatabaseSync;
  readonly #find: StatementSync;
  readonly #totals: StatementSync;

  constructor(path: string) {
    closeSync(openSync(path, "a", 0o600));
    // Loaded when a workspace has files, and synchronously, since a look-up is.
    const { DatabaseSync: Database } = process.getBuiltinModule("node:sqlite");
    this.#db = new Database(path, { timeout: 5_000 });
    try {
      prepareFileIndex(this.#db, path);
      this.#find = this.#db.prepare(FIND_FILE);
      this.#totals = this.#db.prepare(FIND_TOTALS);
    } catch (error) {
      this.#db.close();
      throw error;
    }
  }

  find(id: string): FileInfo | null {
    const row = this.#find.get(id);
    return row === undefined ? null : infoOf(row as unknown as FileRow);
  }

  totals(): Totals {
    return this.#totals.get() as unknown as Totals;
  }

  /** Names bytes that are about to be written, so that they are removed if no `add` follows. */
  announce(id: string): void {
    this.#db.prepare("INSERT INTO loose VALUES (?)").run(id);
  }

  add(info: FileInfo, hasText: boolean): void {
    const { id, filename, mimeType, size, sha256, tags, description = null, createdAt, createdBy } = info;
    const type = bareType(mimeType) + mimeType.slice(mimeType.split(";", 1)[0]?.length).toLowerCase();
    const list = JSON.stringify(tags);
    this.#atomically(() => {
      const row = this.#db
        .prepare(ADD_FILE)
        .get(id, filename, mimeType, type, size, sha256, list, description, createdAt, createdBy, Number(hasText)) as {
        seq: number;
      };
      this.#label(row.seq, info);
      this.settle(id);
    });
  }

  retag(info: FileInfo): void {
    this.#atomically(() => {
      const { seq } = this.#db
        .prepare("UPDATE file SET tags = ? WHERE id = ? RETURNING seq")
        .get(JSON.stringify(info.tags), info.id) as { seq: number };
      this.#db.prepare("DELETE FROM label WHERE rowid = ?").run(seq);
      this.#label(seq, info);
    });
  }

  /** Null when there was none. Its bytes are loose afterwards. */
  remove(id: string): Removed | null {
    return this.#atomically(() => {
      const row = this.#db.prepare("DELETE FROM file WHERE id = ? RETURNING seq, has_text").get(id);
      if (row === undefined) return null;
      this.announce(id);
      const { seq, has_text: hasText } = row as { seq: number; has_text: number };
      return { seq, hasText: hasText === 1 };
    });
  }

  loose(most: number): readonly string[] {
    const rows = this.#db.prepare("SELECT id FROM loose LIMIT ?").all(most);
    return rows.map((row) => (row as { id: string }).id);
  }

  /** The bytes are gone, or have become a file. */
  settle(id: string): void {
    this.#db.prepare("DELETE FROM loose WHERE id = ?").run(id);
  }

  list(query: FileQuery): FilePage {
    const { sql, values } = conditionOf(query);
    const rows = this.#db
      .prepare(`SELECT * FROM file ${sql} ${orderOf(query)} LIMIT ? OFFSET ?`)
      .all(...values, query.limit, query.offset);
    return { files: infosOf(rows), total: sql === "" ? this.totals().files : this.#count(sql, values) };
  }

  all(filter: Filter): readonly FileInfo[] {
    const { sql, values } = conditionOf(filter);
    const order = orderOf({ sort: "createdAt", order: "asc" });
    return infosOf(this.#db.prepare(`SELECT * FROM file ${sql} ${order}`).all(...values));
  }

  close(): void {
    this.#db.close();
  }

  #count(where: string, values: readonly string[]): number {
    return (this.#db.prepare(`SELECT count(*) AS n FROM file ${where}`).get(...values) as { n: number }).n;
  }

  #label(seq: number, { filename, description = "", tags }: FileInfo): void {
    this.#db
      .prepare("INSERT INTO label (rowid, filename, rest) VALUES (?, ?, ?)")
      .run(seq, searchable(filename), searchable(`${description} ${tags.join(" ")}`));
  }

  #atomically<T>(work: () => T): T {
    this.#db.exec("BEGIN IMMEDIATE");
    try {
      const done = work();
      this.#db.exec("COMMIT");
      return done;
    } catch (error) {
      if (this.#db.isTransaction) this.#db.exec("ROLLBACK");
      throw error;
    }
  }
}

const infosOf = (rows: readonly unknown[]): readonly FileInfo[] => rows.map((row) => infoOf(row as FileRow));

const infoOf = (row: FileRow): FileInfo => ({
  id: row.id,
  uri: fileUri(row.id),
  filename: row.filename,
  mimeType: row.mime,
  size: row.size,
  sha256: row.sha256,
  tags: JSON.parse(row.tags) as string[],
  ...(row.description === null ? {} : { description: row.description }),
  createdAt: row.created_at,
  createdBy: row.created_by,
});
