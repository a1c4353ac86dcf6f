/** Batches of the log as they are stored, found by the sequence of an event. What was purged is an empty line. */
import type { DatabaseSync, StatementSync } from "node:sqlite";
import { timeOfLine } from "./event-line.ts";

export interface StoredBatch {
  readonly first: number;
  readonly lines: string[];
}

/** When (ms) a batch was written; 0 when nothing is left of it. */
export const timeOfBatch = ({ lines }: StoredBatch): number => timeOfLine(lines.find((line) => line !== ""));

export class StoredBatches {
  readonly #at: StatementSync;

  constructor(db: DatabaseSync) {
    this.#at = db.prepare("SELECT first, events FROM batch WHERE first <= ? ORDER BY first DESC LIMIT 1");
  }

  /** The one with this event; null: there is none. */
  at(sequence: number): StoredBatch | null {
    const row = this.#at.get(sequence);
    if (row === undefined) return null;
    const batch = { first: Number(row["first"]), lines: String(row["events"]).split("\n") };
    return sequence < batch.first + batch.lines.length ? batch : null;
  }

  lineOf(sequence: number): string {
    const batch = this.at(sequence);
    return batch?.lines[sequence - batch.first] ?? "";
  }
}
