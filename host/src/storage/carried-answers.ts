/**
 * Answers that stand in the row of their events: there they mostly fit into what its last page has left, where a row of their
 * own takes pages that are all written twice. That row stays as long as the log, so they are sealed with keys that do not
 * (`answer-keys.ts`). The column holds the number of the newest row up to here that carries some. If that is this one, there
 * follow the number of the one before, and, as `replies-format.ts` has them, how many entries there are, the entries, the
 * texts. So all of them are found from the last row of the log on.
 */
import type { DatabaseSync, StatementSync } from "node:sqlite";
import { blobOf, ENTRY_BYTES } from "./replies-format.ts";

const ROW_BYTES = 6;
const COUNT_BYTES = 4;
const HEAD_BYTES = 2 * ROW_BYTES + COUNT_BYTES;

export interface CarriedAnswers {
  /** The sequence of the first event with one of them. */
  readonly row: number;
  /** That of the newest before it; 0: there is none. */
  readonly previous: number;
  readonly keys: Buffer;
  readonly texts: Uint8Array;
}

export const writeCarried = ({ row, previous, keys, texts }: CarriedAnswers): Buffer => {
  const head = Buffer.allocUnsafe(HEAD_BYTES);
  head.writeUIntBE(row, 0, ROW_BYTES);
  head.writeUIntBE(previous, ROW_BYTES, ROW_BYTES);
  head.writeUInt32BE(keys.length / ENTRY_BYTES, 2 * ROW_BYTES);
  return Buffer.concat([head, keys, texts]);
};

/** Of a row that carries none; null: no earlier one does. */
export const pointTo = (newest: number): Buffer | null => {
  if (newest === 0) return null;
  const pointer = Buffer.allocUnsafe(ROW_BYTES);
  pointer.writeUIntBE(newest, 0, ROW_BYTES);
  return pointer;
};

/** Null: this row carries none. */
export const readCarried = (column: Buffer): CarriedAnswers | null => {
  if (column.length < HEAD_BYTES) return null;
  const texts = HEAD_BYTES + column.readUInt32BE(2 * ROW_BYTES) * ENTRY_BYTES;
  return {
    row: column.readUIntBE(0, ROW_BYTES),
    previous: column.readUIntBE(ROW_BYTES, ROW_BYTES),
    keys: column.subarray(HEAD_BYTES, texts),
    texts: column.subarray(texts),
  };
};

export class CarriedRows {
  readonly #last: StatementSync;
  readonly #at: StatementSync;

  constructor(db: DatabaseSync) {
    this.#last = db.prepare("SELECT answers FROM batch ORDER BY first DESC LIMIT 1");
    this.#at = db.prepare("SELECT answers FROM batch WHERE first <= ? ORDER BY first DESC LIMIT 1");
  }

  /** The number of the newest; 0: there is none. */
  newest(): number {
    const column = blobOf(this.#last.get()?.["answers"]);
    return column.length === 0 ? 0 : column.readUIntBE(0, ROW_BYTES);
  }

  /** Null: there are none of this number. */
  at(row: number): CarriedAnswers | null {
    const carried = readCarried(blobOf(this.#at.get(row)?.["answers"]));
    return carried?.row === row ? carried : null;
  }

  /** Those of a higher number, the newest first. */
  *after(row: number): Generator<CarriedAnswers> {
    for (let next = this.newest(); next > row;) {
      const carried = this.at(next);
      if (carried === null) return;
      yield carried;
      next = carried.previous;
    }
  }
}
