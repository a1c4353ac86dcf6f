/** What a search needs of the index of one workspace, over a connection of its own that never writes. */
import { DatabaseSync } from "node:sqlite";
import { conditionOf, RANKED, type Filter } from "./file-selection.ts";
import type { Hits } from "./text-messages.ts";

export class IndexReader {
  readonly #db: DatabaseSync;

  constructor(path: string) {
    this.#db = new DatabaseSync(path, { readOnly: true, timeout: 5_000 });
  }

  /** The number of the newest file there ever was; no number is given twice. */
  lastSeq(): number {
    const row = this.#db.prepare("SELECT seq FROM sqlite_sequence WHERE name = 'file'").get();
    return (row as { seq: number } | undefined)?.seq ?? 0;
  }

  /** The next files with text, oldest first. */
  textsAfter(seq: number, most: number): readonly { readonly seq: number; readonly id: string }[] {
    const rows = this.#db.prepare("SELECT seq, id FROM file WHERE seq > ? AND has_text ORDER BY seq LIMIT ?");
    return rows.all(seq, most) as unknown as readonly { seq: number; id: string }[];
  }

  selected(filter: Filter): Set<number> {
    const { sql, values } = conditionOf(filter);
    return seqsOf(this.#db.prepare(`SELECT seq FROM file ${sql}`).all(...values));
  }

  /** Files that have the term in their filename, description or tags. */
  labelled(term: string): Set<number> {
    return seqsOf(this.#db.prepare("SELECT rowid AS seq FROM label WHERE label MATCH ?").all(term));
  }

  ranked(found: ReadonlySet<number>, terms: readonly string[], limit: number): Hits {
    if (found.size === 0) return { ids: [], total: 0 };
    const all = terms.join(" AND ");
    const rows = this.#db.prepare(RANKED).all(JSON.stringify([...found]), `filename : (${all})`, all, limit);
    const ids = rows.map((row) => (row as { id: string }).id);
    return { ids, total: (rows[0] as { total: number } | undefined)?.total ?? 0 };
  }

  close(): void {
    this.#db.close();
  }
}

const seqsOf = (rows: readonly unknown[]): Set<number> => new Set(rows.map((row) => (row as { seq: number }).seq));
