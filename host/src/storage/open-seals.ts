/** The seals made with the host's secret: AES-256-GCM, one key a purpose. */
import { createCipheriv, createDecipheriv, type KeyObject } from "node:crypto";
import { randomSlice } from "../kernel/make-id.ts";
import type { Seals } from "../kernel/seal.ts";
import { narrowFile } from "./private-file.ts";
import { readSealSecret, sealFile, sealKey } from "./seal-secret.ts";

const PREFIX = "bw1.";
const CIPHER = "aes-256-gcm";
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
/** Purposes are named in code, so they are few; the limit only says so. */
const MAX_KEPT_KEYS = 64;

class SecretSeals implements Seals {
  readonly #secret: Buffer;
  readonly #keys = new Map<string, KeyObject>();

  constructor(secret: Buffer) {
    this.#secret = secret;
  }

  seal(purpose: string, plain: string): string {
    const nonce = randomSlice(NONCE_BYTES);
    const cipher = createCipheriv(CIPHER, this.#keyFor(purpose), nonce);
    const text = Buffer.concat([nonce, cipher.update(plain, "utf8"), cipher.final(), cipher.getAuthTag()]);
    return PREFIX + text.toString("base64url");
  }

  unseal(purpose: string, sealed: string): string | null {
    if (!sealed.startsWith(PREFIX)) return null;
    const encoded = sealed.slice(PREFIX.length);
    const bytes = Buffer.from(encoded, "base64url");
    // A lenient decoder would let many texts stand for one seal, and a seal that is used once could be used again.
    if (bytes.length < NONCE_BYTES + TAG_BYTES || bytes.toString("base64url") !== encoded) return null;
    const decipher = createDecipheriv(CIPHER, this.#keyFor(purpose), bytes.subarray(0, NONCE_BYTES), {
      authTagLength: TAG_BYTES,
    });
    decipher.setAuthTag(bytes.subarray(-TAG_BYTES));
    try {
      const text = decipher.update(bytes.subarray(NONCE_BYTES, -TAG_BYTES));
      return Buffer.concat([text, decipher.final()]).toString("utf8");
    } catch {
      return null;
    }
  }

  secret(purpose: string): string {
    return this.#keyFor(purpose).export().toString("hex");
  }

  #keyFor(purpose: string): KeyObject {
    const kept = this.#keys.get(purpose);
    if (kept !== undefined) return kept;
    const key = sealKey(this.#secret, purpose);
    if (this.#keys.size < MAX_KEPT_KEYS) this.#keys.set(purpose, key);
    return key;
  }
}

/**
 * Makes the secret at the first start. Throws an Error fit for people when the file is damaged. `tell` hears what a person
 * should know of the file.
 */
export const openSeals = (dir: string, tell: (note: string) => void = () => {}): Seals => {
  const secret = readSealSecret(dir);
  const note = narrowFile(sealFile(dir));
  if (note !== null) tell(note);
  return new SecretSeals(secret);
};
