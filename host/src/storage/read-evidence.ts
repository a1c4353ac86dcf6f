/**
 * Reads the log from any process, while the host runs or not. Hands out canonical event lines. Long reads go batch by
 * batch, each in a transaction of its own, so that a slow reader never keeps the host from tidying its journal.
 * By sequence and by correlation it seeks; by event id or invocation id it walks back from the newest batch.
 */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync, type StatementSync } from "node:sqlite";
import { Refusal } from "../kernel/refusal.ts";
import { stableString } from "../kernel/stable.ts";
import { FROM_INDEX } from "./correlation-index.ts";
import { correlationOfLine } from "./event-line.ts";
import { EVIDENCE_FILE } from "./evidence-schema.ts";

export interface EvidenceReader {
  /** The last sequence; 0 when the log is empty. */
  last(): number;
  /** The newest `limit` events, oldest first. */
  tail(limit: number): string[];
  byId(id: string | number): string | null;
  byCorrelation(correlationId: string): Iterable<string>;
  byInvocation(invocationId: string): Iterable<string>;
  /** Sequences `from` to `to`, both included. */
  range(from: number, to: number): Iterable<string>;
  close(): void;
}

interface Found {
  readonly first: number;
  readonly lines: readonly string[];
}

const BUSY_MS = 2000;

const found = (row: Record<string, unknown> | undefined): Found | null =>
  row === undefined ? null : { first: Number(row["first"]), lines: String(row["events"]).split("\n") };

class StoreReader implements EvidenceReader {
  readonly #db: DatabaseSync;
  readonly #batchAt: StatementSync;
  readonly #batchAfter: StatementSync;
  readonly #newestWith: StatementSync;

  constructor(path: string) {
    this.#db = new DatabaseSync(path, { readOnly: true, timeout: BUSY_MS });
    this.#batchAt = this.#db.prepare("SELECT first, events FROM batch WHERE first <= ? ORDER BY first DESC LIMIT 1");
    this.#batchAfter = this.#db.prepare("SELECT first, events FROM batch WHERE first > ? ORDER BY first LIMIT 1");
    this.#newestWith = this.#db.prepare(
      "SELECT first, events FROM batch WHERE instr(events, ?) > 0 ORDER BY first DESC LIMIT 1",
    );
  }

  last(): number {
    const row = this.#db.prepare("SELECT first + count - 1 AS last FROM batch ORDER BY first DESC LIMIT 1").get();
    return Number(row?.["last"] ?? 0);
  }

  tail(limit: number): string[] {
    const last = this.last();
    return [...this.range(Math.max(1, last - limit + 1), last)];
  }

  byId(id: string | number): string | null {
    if (typeof id === "number") {
      const batch = found(this.#batchAt.get(id));
      return batch?.lines[id - batch.first] ?? null;
    }
    const needle = `"event_id": ${stableString(id)}`;
    const batch = found(this.#newestWith.get(needle));
    return batch?.lines.find((line) => (JSON.parse(line) as { event_id: string }).event_id === id) ?? null;
  }

  *byCorrelation(correlationId: string): Iterable<string> {
    for (const first of this.#batchesOf(correlationId)) {
      const batch = found(this.#batchAt.get(first));
      for (const line of batch?.lines ?? []) if (correlationOfLine(line) === correlationId) yield line;
    }
  }

  *byInvocation(invocationId: string): Iterable<string> {
    const isOurs = (line: string): boolean =>
      (JSON.parse(line) as { invocation_id: string }).invocation_id === invocationId;
    const batch = found(this.#newestWith.get(`"invocation_id": ${stableString(invocationId)}`));
    const line = batch?.lines.find(isOurs);
    if (line === undefined) return;
    for (const each of this.byCorrelation(correlationOfLine(line))) if (isOurs(each)) yield each;
  }

  *range(from: number, to: number): Iterable<string> {
    let batch = found(this.#batchAt.get(from)) ?? found(this.#batchAfter.get(from));
    while (batch !== null && batch.first <= to) {
      for (const [i, line] of batch.lines.entries()) {
        const sequence = batch.first + i;
        if (sequence >= from && sequence <= to) yield line;
      }
      batch = found(this.#batchAfter.get(batch.first));
    }
  }

  close(): void {
    this.#db.close();
  }

  /** Whole segments of the index, then the batches that are not indexed yet; in one view, so that none is missed. */
  #batchesOf(correlationId: string): number[] {
    this.#db.exec("BEGIN");
    try {
      const indexed = this.#db.prepare(`SELECT c.batch AS batch ${FROM_INDEX} ORDER BY c.batch`).all(correlationId);
      const tail = this.#db
        .prepare(
          `SELECT first AS batch FROM batch WHERE first > (SELECT coalesce(max(upto), 0) FROM segment)
           AND instr(correlations, ?) > 0 ORDER BY first`,
        )
        .all(stableString(correlationId));
      return [...indexed, ...tail].map((row) => Number(row["batch"]));
    } finally {
      this.#db.exec("COMMIT");
    }
  }
}

/** Refusal `not_found` when there is no log in the directory. */
export const openEvidenceReader = (dir: string): EvidenceReader => {
  const path = join(dir, EVIDENCE_FILE);
  if (!existsSync(path)) {
    throw new Refusal("not_found", {
      message: `There is no evidence log in ${dir} yet.`,
      next: "Start the host with `bailiwick serve` and make a call, or name its work directory with --workdir.",
    });
  }
  return new StoreReader(path);
};
