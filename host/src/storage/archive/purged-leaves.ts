/** What is left of purged events: their hashes in the log's tree, by sequence. Read-only, from any process. */
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { EVIDENCE_FILE } from "../evidence-schema.ts";
import type { PurgedLeaf } from "./archive-parts.ts";

const BUSY_MS = 2000;
const PAGE = 1000;

export class PurgedLeaves {
  readonly #db: DatabaseSync;

  constructor(dir: string) {
    this.#db = new DatabaseSync(join(dir, EVIDENCE_FILE), { readOnly: true, timeout: BUSY_MS });
  }

  /** Page by page, so that a slow reader keeps nobody from writing. */
  *between(from: number, to: number): Iterable<PurgedLeaf> {
    const page = this.#db.prepare(
      "SELECT sequence, lower(hex(hash)) AS leaf FROM leaf WHERE sequence >= ? AND sequence <= ? ORDER BY sequence LIMIT ?",
    );
    for (let at = from; ;) {
      const rows = page.all(at, to, PAGE);
      for (const row of rows) yield { sequence: Number(row["sequence"]), leaf: String(row["leaf"]) };
      if (rows.length < PAGE) return;
      at = Number(rows.at(-1)?.["sequence"]) + 1;
    }
  }

  close(): void {
    this.#db.close();
  }
}
