/**
 * Leaves of the log's tree as its rows give them, where no tile has them yet. Of a purged event only the leaf itself was
 * kept.
 */
import type { DatabaseSync } from "node:sqlite";
import { contentHashOfLine, correlationOfLine } from "../event-line.ts";
import { leafHash } from "./tree-hash.ts";

/** Index of the first leaf wanted, from 0; to the end of the log. */
export function* readLeaves(db: DatabaseSync, from: number): Iterable<Buffer> {
  const kept = db.prepare("SELECT hash FROM leaf WHERE sequence = ?");
  const rows = db.prepare(
    `SELECT first, events FROM batch
     WHERE first >= coalesce((SELECT first FROM batch WHERE first <= ? ORDER BY first DESC LIMIT 1), 1) ORDER BY first`,
  );
  for (const row of rows.iterate(from + 1)) {
    let sequence = Number(row["first"]);
    for (const line of String(row["events"]).split("\n")) {
      if (sequence > from) {
        yield line === ""
          ? Buffer.from(kept.get(sequence)?.["hash"] as Uint8Array)
          : leafHash(correlationOfLine(line), contentHashOfLine(line));
      }
      sequence++;
    }
  }
}
