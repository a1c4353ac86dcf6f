/** Keys of answers that no whole segment of their index has yet: those of a row each, rows rising. */
import type { DatabaseSync, StatementSync } from "node:sqlite";
import type { AnswerKeys } from "./answer-keys.ts";
import type { CarriedRows } from "./carried-answers.ts";
import { blobOf } from "./replies-format.ts";

export interface KeysOfRow {
  readonly row: number;
  readonly keys: Buffer;
}

export class UnindexedKeys {
  readonly #newer: StatementSync;
  readonly #carried: CarriedRows;
  readonly #answerKeys: AnswerKeys | null;

  /** `answerKeys` null: the log is in memory, and nothing is carried. */
  constructor(db: DatabaseSync, carried: CarriedRows, answerKeys: AnswerKeys | null) {
    this.#newer = db.prepare("SELECT first, keys FROM answer WHERE first > ? ORDER BY first");
    this.#carried = carried;
    this.#answerKeys = answerKeys;
  }

  after(row: number): readonly KeysOfRow[] {
    const found: KeysOfRow[] = [];
    for (const each of this.#newer.iterate(row)) found.push({ row: Number(each["first"]), keys: blobOf(each["keys"]) });
    // What has no key any more is not there any more.
    const readable = this.#answerKeys?.oldest()?.first ?? Infinity;
    for (const carried of this.#carried.after(Math.max(row, readable - 1))) found.push(carried);
    return found.toSorted((a, b) => a.row - b.row);
  }
}
