/**
 * Seals what a row of the log's file holds as a whole: AES-256-CTR, then HMAC-SHA256 over all of it. Whoever seals has a key
 * of its own, made of the host's and 16 random bytes, and one stream of it for all its rows, since a cipher made anew for
 * each commit costs more than all the bytes; each begins with a word of it. A row is: those random bytes, its place in the stream, ciphertext, tag.
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
const WORD_BYTES = 4;
const KEY_BYTES = 32;
const SALT_BYTES = 16;
const PLACE_BYTES = 6;
const HEAD_BYTES = SALT_BYTES + PLACE_BYTES;
const TAG_BYTES = 16;
/** Before a row, so that its ciphertext begins with a word of the memory that it is in. */
const PAD_BYTES = 2;

/** What the cipher is asked for at once: each time costs more than some thousand bytes of it. */
const STREAM_WORDS = 1 << 14;
const ZEROS = Buffer.alloc(STREAM_WORDS * WORD_BYTES);

/** What HMAC hashes before the text, and before the hash of it. */
const HMAC_BLOCK_BYTES = 64;
const HASH_BYTES = 32;
const INNER = 0x36;
const OUTER = 0x5c;

interface SealKeys {
  readonly salt: Buffer;
  readonly cipher: Buffer;
  readonly inner: Buffer;
  /** With room for the inner hash. */
  readonly outer: Buffer;
}

/** What the cipher gave for the rows to come, by words, which are quicker to mask with than bytes. */
interface Stream {
  readonly cipher: Cipheriv;
  readonly words: Uint32Array;
  /** Of the words. */
  used: number;
}

const padded = (key: Buffer, pad: number): Buffer => {
  const block = Buffer.alloc(HMAC_BLOCK_BYTES, pad);
  key.forEach((byte, i) => (block[i] = byte ^ pad));
  return block;
};

const keysOf = (key: KeyObject, salt: Buffer): SealKeys => {
  const made = Buffer.from(hkdfSync("sha256", key, salt, "bailiwick/row-seal", 2 * KEY_BYTES));
  const mac = made.subarray(KEY_BYTES);
  const outer = Buffer.concat([padded(mac, OUTER)], HMAC_BLOCK_BYTES + HASH_BYTES);
  return { salt, cipher: made.subarray(0, KEY_BYTES), inner: padded(mac, INNER), outer };
};

/** `inner` and after it all that is sealed, in one piece; a byte a character. */
const tagOf = ({ outer }: SealKeys, innerAndSealed: Uint8Array): string => {
  // With two hashes, because an object for each would cost more than both.
  outer.write(hash("sha256", innerAndSealed, "binary"), HMAC_BLOCK_BYTES, "latin1");
  return hash("sha256", outer, "binary").slice(0, TAG_BYTES);
};

export class RowSeal {
  readonly #key: KeyObject;
  /** Of the rows that it seals itself; made with the first. */
  #own: { readonly keys: SealKeys; readonly stream: Stream } | null = null;
  #place = 0;
  /** Of the row that was read last: most are of the same run. */
  #last: SealKeys | null = null;

  constructor(key: KeyObject) {
    this.#key = key;
  }

  seal(text: string): Uint8Array {
    const { keys, stream } = (this.#own ??= this.#open());
    const { inner, salt } = keys;
    const length = Buffer.byteLength(text);
    const row = Buffer.allocUnsafe(PAD_BYTES + inner.length + HEAD_BYTES + length + TAG_BYTES);
    let at = PAD_BYTES + inner.copy(row, PAD_BYTES);
    at += salt.copy(row, at);
    at = row.writeUIntBE(this.#place, at, PLACE_BYTES);
    row.write(text, at);
    this.#place += encrypt(stream, row, at, length);
    row.write(tagOf(keys, row.subarray(PAD_BYTES, at + length)), at + length, "latin1");
    return row.subarray(PAD_BYTES + inner.length);
  }

  /** Null for everything that was not sealed with this key, or was changed since. */
  unseal(row: Uint8Array): string | null {
    if (row.length < HEAD_BYTES + TAG_BYTES) return unsealEarlier(this.#key, row);
    const [sealed, tag] = [Buffer.from(row.subarray(0, -TAG_BYTES)), row.subarray(-TAG_BYTES)];
    const keys = this.#keysFor(sealed.subarray(0, SALT_BYTES));
    const expected = Buffer.from(tagOf(keys, Buffer.concat([keys.inner, sealed])), "latin1");
    if (!timingSafeEqual(expected, tag)) return unsealEarlier(this.#key, row);
    const place = sealed.readUIntBE(SALT_BYTES, PLACE_BYTES);
    const counter = Buffer.alloc(BLOCK_BYTES);
    counter.writeBigUInt64BE(BigInt(Math.floor(place / BLOCK_BYTES)), BLOCK_BYTES - 8);
    const stream = createCipheriv(CIPHER, keys.cipher, counter);
    stream.update(Buffer.alloc(place % BLOCK_BYTES));
    return stream.update(sealed.subarray(HEAD_BYTES)).toString("utf8");
  }

  #open(): { readonly keys: SealKeys; readonly stream: Stream } {
    const keys = keysOf(this.#key, randomSlice(SALT_BYTES));
    const cipher = createCipheriv(CIPHER, keys.cipher, Buffer.alloc(BLOCK_BYTES));
    return { keys, stream: { cipher, words: new Uint32Array(STREAM_WORDS), used: STREAM_WORDS } };
  }

  #keysFor(salt: Buffer): SealKeys {
    if (this.#last === null || !this.#last.salt.equals(salt)) this.#last = keysOf(this.#key, Buffer.from(salt));
    return this.#last;
  }
}

/**
 * In place, by whole words: what it spoils after the text is where the tag goes. Returns how far that is in the stream.
 * `at` is the beginning of a word.
 */
const encrypt = (stream: Stream, row: Buffer, at: number, length: number): number => {
  const count = Math.ceil(length / WORD_BYTES);
  const words = new Uint32Array(row.buffer, row.byteOffset + at, count);
  for (let i = 0; i < count;) {
    if (stream.used === STREAM_WORDS) refill(stream);
    const end = Math.min(count, i + STREAM_WORDS - stream.used);
    for (; i < end; i++) words[i] = (words[i] as number) ^ (stream.words[stream.used++] as number);
  }
  return count * WORD_BYTES;
};

const refill = (stream: Stream): void => {
  new Uint8Array(stream.words.buffer).set(stream.cipher.update(ZEROS));
  stream.used = 0;
};

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
