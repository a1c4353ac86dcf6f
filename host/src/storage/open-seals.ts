/**
 * The host's secret, 32 random bytes in `seal.key`, and the seals made with it: AES-256-GCM, one key a purpose by HKDF.
 * Without the file nothing that was sealed can be read; there is no way back from losing it but to start over.
 */
import { createCipheriv, createDecipheriv, createSecretKey, hkdfSync, randomBytes, type KeyObject } from "node:crypto";
import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { randomSlice } from "../kernel/make-id.ts";
import type { Seals } from "../kernel/seal.ts";
import { createPrivateFile, narrowFile } from "./private-file.ts";

const PREFIX = "bw1.";
const CIPHER = "aes-256-gcm";
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const KEY_BYTES = 32;
const SECRET = /^[A-Za-z0-9_-]{43}$/;
/** Purposes are named in code, so they are few; the limit only says so. */
const MAX_KEPT_KEYS = 64;

const readSecret = (dir: string, tell: (note: string) => void): Buffer => {
  const path = join(dir, "seal.key");
  mkdirSync(dir, { recursive: true, mode: 0o700 });
  if (!existsSync(path)) createPrivateFile(path, `${randomBytes(KEY_BYTES).toString("base64url")}\n`);
  const note = narrowFile(path);
  if (note !== null) tell(note);
  const text = readFileSync(path, "utf8").trim();
  if (SECRET.test(text)) return Buffer.from(text, "base64url");
  throw new Error(
    `${path} holds no secret. Restore it from a backup, or remove it: the next start makes a new one, and people sign in to their servers again.`,
  );
};

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

  #keyFor(purpose: string): KeyObject {
    const kept = this.#keys.get(purpose);
    if (kept !== undefined) return kept;
    const bytes = hkdfSync("sha256", this.#secret, "", `bailiwick/seal/${purpose}`, KEY_BYTES);
    // Half the price of bytes, which would be made into a key for each seal.
    const key = createSecretKey(Buffer.from(bytes));
    if (this.#keys.size < MAX_KEPT_KEYS) this.#keys.set(purpose, key);
    return key;
  }
}

/**
 * Makes the secret at the first start. Throws an Error fit for people when the file is damaged. `tell` hears what a person
 * should know of the file.
 */
export const openSeals = (dir: string, tell: (note: string) => void = () => {}): Seals =>
  new SecretSeals(readSecret(dir, tell));
