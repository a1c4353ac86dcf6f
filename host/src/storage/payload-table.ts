/**
 * Arguments and results of the tools that the operator named, beside the log and encrypted: one key a correlation, itself
 * sealed with the host's secret. Retention destroys the key, and with it what it encrypted, wherever a copy may be.
 */
import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";
import type { DatabaseSync, StatementSync } from "node:sqlite";
import type { Seals } from "../kernel/seal.ts";
import { openSeals } from "./open-seals.ts";

const CIPHER = "aes-256-gcm";
const PURPOSE = "retained-payload";
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

const encrypt = (key: Buffer, text: string): Buffer => {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(CIPHER, key, nonce);
  return Buffer.concat([nonce, cipher.update(text, "utf8"), cipher.final(), cipher.getAuthTag()]);
};

const decrypt = (key: Buffer, sealed: Buffer): string => {
  const decipher = createDecipheriv(CIPHER, key, sealed.subarray(0, NONCE_BYTES), { authTagLength: TAG_BYTES });
  decipher.setAuthTag(sealed.subarray(-TAG_BYTES));
  return decipher.update(sealed.subarray(NONCE_BYTES, -TAG_BYTES), undefined, "utf8") + decipher.final("utf8");
};

export class PayloadTable {
  readonly #dir: string | null;
  readonly #keyOf: StatementSync;
  readonly #find: StatementSync;
  readonly #db: DatabaseSync;
  #seals: Seals | null = null;

  /** `dir` null: the log is in memory, and nothing is retained. */
  constructor(db: DatabaseSync, dir: string | null) {
    this.#db = db;
    this.#dir = dir;
    this.#keyOf = db.prepare("SELECT sealed FROM payload_key WHERE correlation_id = ?");
    this.#find = db.prepare("SELECT correlation_id, sealed FROM payload WHERE sequence = ?");
  }

  put(sequence: number, correlationId: string, text: string): void {
    if (this.#dir === null) return;
    this.#db
      .prepare("INSERT INTO payload (sequence, correlation_id, sealed) VALUES (?, ?, ?)")
      .run(sequence, correlationId, encrypt(this.#openKey(correlationId) ?? this.#makeKey(correlationId), text));
  }

  /** Null when nothing was retained, or it is not there any more. */
  read(sequence: number): string | null {
    const row = this.#find.get(sequence);
    const key = row && this.#openKey(String(row["correlation_id"]));
    return row && key ? decrypt(key, Buffer.from(row["sealed"] as Uint8Array)) : null;
  }

  destroy(correlationIds: ReadonlySet<string>): void {
    const payloads = this.#db.prepare("DELETE FROM payload WHERE correlation_id = ?");
    const keys = this.#db.prepare("DELETE FROM payload_key WHERE correlation_id = ?");
    for (const id of correlationIds) {
      payloads.run(id);
      keys.run(id);
    }
  }

  destroyOne(sequence: number): void {
    this.#db.prepare("DELETE FROM payload WHERE sequence = ?").run(sequence);
  }

  #openKey(correlationId: string): Buffer | null {
    const sealed = this.#keyOf.get(correlationId)?.["sealed"];
    if (sealed === undefined) return null;
    const key = this.#hostSeals().unseal(PURPOSE, String(sealed));
    return key === null ? null : Buffer.from(key, "base64");
  }

  #makeKey(correlationId: string): Buffer {
    const key = randomBytes(32);
    this.#db
      .prepare("INSERT OR REPLACE INTO payload_key (correlation_id, sealed) VALUES (?, ?)")
      .run(correlationId, this.#hostSeals().seal(PURPOSE, key.toString("base64")));
    return key;
  }

  #hostSeals(): Seals {
    this.#seals ??= openSeals(this.#dir ?? "");
    return this.#seals;
  }
}
