/**
 * Keys that answers are sealed with which stand in the rows of the log: one for all of an hour, itself sealed with the host's.
 * A day after that hour it is destroyed, and with it what it sealed.
 */
import { createSecretKey, randomBytes } from "node:crypto";
import type { DatabaseSync, StatementSync } from "node:sqlite";
import { blobOf } from "./replies-format.ts";
import { RowSeal } from "./row-seal.ts";

const HOUR_MS = 60 * 60 * 1000;
const KEY_BYTES = 32;

export class AnswerKeys {
  readonly #host: RowSeal;
  readonly #find: StatementSync;
  readonly #oldest: StatementSync;
  readonly #insert: StatementSync;
  readonly #destroy: StatementSync;
  /** The one that was asked for last, with its first row: most are of the same hour. */
  #known: { readonly first: number; readonly seal: RowSeal } | null = null;
  #current: { readonly seal: RowSeal; readonly until: number } | null = null;

  constructor(db: DatabaseSync, host: RowSeal) {
    this.#host = host;
    this.#find = db.prepare("SELECT first, sealed FROM answer_key WHERE first <= ? ORDER BY first DESC LIMIT 1");
    this.#oldest = db.prepare("SELECT first, at FROM answer_key ORDER BY first LIMIT 1");
    this.#insert = db.prepare("INSERT INTO answer_key (first, at, sealed) VALUES (?, ?, ?)");
    this.#destroy = db.prepare("DELETE FROM answer_key WHERE at < ?");
  }

  /** One that opens nothing where the key was destroyed, or cannot be read. */
  of(row: number): RowSeal {
    const found = this.#find.get(row);
    if (found === undefined) return sealOf(randomBytes(KEY_BYTES));
    const first = Number(found["first"]);
    if (this.#known?.first !== first) this.#known = { first, seal: this.#open(blobOf(found["sealed"])) };
    return this.#known.seal;
  }

  /** For answers in a row of a higher number than all before, in its transaction. */
  sealFor(row: number, at: number): RowSeal {
    if (this.#current !== null && at < this.#current.until) return this.#current.seal;
    const key = randomBytes(KEY_BYTES);
    this.#insert.run(row, at, this.#host.seal(key.toString("base64")));
    this.#current = { seal: sealOf(key), until: at + HOUR_MS };
    return this.#current.seal;
  }

  /** From which row on there are keys, and until when the oldest sealed. Null: there is none. */
  oldest(): { readonly first: number; readonly until: number } | null {
    const row = this.#oldest.get();
    return row === undefined ? null : { first: Number(row["first"]), until: Number(row["at"]) + HOUR_MS };
  }

  /** Those that sealed nothing since. */
  destroy(before: number): void {
    this.#destroy.run(before - HOUR_MS);
  }

  #open(sealed: Buffer): RowSeal {
    const key = this.#host.unseal(sealed);
    return sealOf(key === null ? randomBytes(KEY_BYTES) : Buffer.from(key, "base64"));
  }
}

const sealOf = (key: Buffer): RowSeal => new RowSeal(createSecretKey(key));
