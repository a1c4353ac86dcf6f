/**
 * Seals what a row of the log's file holds as a whole: AES-256-CTR, then HMAC-SHA256 over all of it. Whoever seals has a key
 * of its own, made of the host's and 16 random bytes, and one stream of it for all its rows, since a cipher made anew for
 * each commit costs more than all the bytes. A row is: those random bytes, its place in the stream, ciphertext, tag.
 */
import {
  createCipheriv,
  createDecipheriv,
  hash,
  hkdfSync,
  timingSafeEqual,
  type Cipheriv,
  type KeyObject,
} from "node:crypto";
import { randomSlice } from "../kernel/make-id.ts";

const CIPHER = "aes-256-ctr";
const BLOCK_BYTES = 16;
const KEY_BYTES = 32;
const SALT_BYTES = 16;
const PLACE_BYTES = 6;
const HEAD_BYTES = SALT_BYTES + PLACE_BYTES;
const TAG_BYTES = 16;

/** What HMAC hashes before the text, and before the hash of it. */
const HMAC_BLOCK_BYTES = 64;
const INNER = 0x36;
const OUTER = 0x5c;

interface SealKeys {
  readonly salt: Buffer;
  readonly cipher: Buffer;
  readonly inner: Buffer;
  readonly outer: Buffer;
}

const padded = (key: Buffer, pad: number): Buffer => {
  const block = Buffer.alloc(HMAC_BLOCK_BYTES, pad);
  key.forEach((byte, i) => (block[i] = byte ^ pad));
  return block;
};

const keysOf = (key: KeyObject, salt: Buffer): SealKeys => {
  const made = Buffer.from(hkdfSync("sha256", key, salt, "bailiwick/row-seal", 2 * KEY_BYTES));
  const mac = made.subarray(KEY_BYTES);
  return { salt, cipher: made.subarray(0, KEY_BYTES), inner: padded(mac, INNER), outer: padded(mac, OUTER) };
};

/** With two hashes, because an object for each would cost more than both. */
const tagOf = ({ inner, outer }: SealKeys, sealed: Uint8Array): Buffer => {
  const first = hash("sha256", Buffer.concat([inner, sealed]), "buffer");
  return hash("sha256", Buffer.concat([outer, first]), "buffer").subarray(0, TAG_BYTES);
};

export class RowSeal {
  readonly #key: KeyObject;
  /** Of the rows that it seals itself; made with the first. */
  #own: { readonly keys: SealKeys; readonly stream: Cipheriv } | null = null;
  #place = 0;
  /** Of the row that was read last: most are of the same run. */
  #last: SealKeys | null = null;

  constructor(key: KeyObject) {
    this.#key = key;
  }

  seal(text: string): Uint8Array {
    const { keys, stream } = (this.#own ??= this.#open());
    const ciphertext = stream.update(text, "utf8");
    const place = Buffer.allocUnsafe(PLACE_BYTES);
    place.writeUIntBE(this.#place, 0, PLACE_BYTES);
    this.#place += ciphertext.length;
    const sealed = Buffer.concat([keys.salt, place, ciphertext]);
    return Buffer.concat([sealed, tagOf(keys, sealed)]);
  }

  /** Null for everything that was not sealed with this key, or was changed since. */
  unseal(row: Uint8Array): string | null {
    if (row.length < HEAD_BYTES + TAG_BYTES) return unsealEarlier(this.#key, row);
    const [sealed, tag] = [Buffer.from(row.subarray(0, -TAG_BYTES)), row.subarray(-TAG_BYTES)];
    const keys = this.#keysFor(sealed.subarray(0, SALT_BYTES));
    if (!timingSafeEqual(tagOf(keys, sealed), tag)) return unsealEarlier(this.#key, row);
    const place = sealed.readUIntBE(SALT_BYTES, PLACE_BYTES);
    const counter = Buffer.alloc(BLOCK_BYTES);
    counter.writeBigUInt64BE(BigInt(Math.floor(place / BLOCK_BYTES)), BLOCK_BYTES - 8);
    const stream = createCipheriv(CIPHER, keys.cipher, counter);
    stream.update(Buffer.alloc(place % BLOCK_BYTES));
    return stream.update(sealed.subarray(HEAD_BYTES)).toString("utf8");
  }

  #open(): { readonly keys: SealKeys; readonly stream: Cipheriv } {
    const keys = keysOf(this.#key, randomSlice(SALT_BYTES));
    return { keys, stream: createCipheriv(CIPHER, keys.cipher, Buffer.alloc(BLOCK_BYTES)) };
  }

  #keysFor(salt: Buffer): SealKeys {
    if (this.#last === null || !this.#last.salt.equals(salt)) this.#last = keysOf(this.#key, Buffer.from(salt));
    return this.#last;
  }
}

const EARLIER_CIPHER = "aes-256-gcm";
const NONCE_BYTES = 12;

/** As earlier versions sealed it: nonce, ciphertext, tag. */
const unsealEarlier = (key: KeyObject, row: Uint8Array): string | null => {
  if (row.length < NONCE_BYTES + TAG_BYTES) return null;
  const decipher = createDecipheriv(EARLIER_CIPHER, key, row.subarray(0, NONCE_BYTES), { authTagLength: TAG_BYTES });
  decipher.setAuthTag(row.subarray(-TAG_BYTES));
  try {
    const text = decipher.update(row.subarray(NONCE_BYTES, -TAG_BYTES));
    return Buffer.concat([text, decipher.final()]).toString("utf8");
  } catch {
    return null;
  }
};
