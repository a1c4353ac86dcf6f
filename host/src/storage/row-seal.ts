/**
 * Seals what a row of the log's file holds as a whole, so that it costs one seal a commit, not one a text: AES-256-GCM, as
 * bytes: nonce, ciphertext, tag.
 */
import { createCipheriv, createDecipheriv, type KeyObject } from "node:crypto";
import { randomSlice } from "../kernel/make-id.ts";

const CIPHER = "aes-256-gcm";
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

export class RowSeal {
  readonly #key: KeyObject;

  constructor(key: KeyObject) {
    this.#key = key;
  }

  seal(text: string): Uint8Array {
    const nonce = randomSlice(NONCE_BYTES);
    const cipher = createCipheriv(CIPHER, this.#key, nonce);
    return Buffer.concat([nonce, cipher.update(text, "utf8"), cipher.final(), cipher.getAuthTag()]);
  }

  /** Null for everything that was not sealed with this key, or was changed since. */
  unseal(sealed: Uint8Array): string | null {
    if (sealed.length < NONCE_BYTES + TAG_BYTES) return null;
    const nonce = sealed.subarray(0, NONCE_BYTES);
    const decipher = createDecipheriv(CIPHER, this.#key, nonce, { authTagLength: TAG_BYTES });
    decipher.setAuthTag(sealed.subarray(-TAG_BYTES));
    try {
      const text = decipher.update(sealed.subarray(NONCE_BYTES, -TAG_BYTES));
      return Buffer.concat([text, decipher.final()]).toString("utf8");
    } catch {
      return null;
    }
  }
}
