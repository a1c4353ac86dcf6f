/** A key of 128 bits of a hash as four words, which are quick to compare. Their low bits are the key's places in a sieve. */
export type KeyWords = readonly [number, number, number, number];

export const KEY_BYTES = 16;
const WORD_DIGITS = 8;

/** Of a key in hex, lower-case: the word whose digits begin there. */
const wordAt = (hex: string, from: number): number => {
  let word = 0;
  for (let i = from; i < from + WORD_DIGITS; i++) {
    const code = hex.charCodeAt(i);
    // Of a letter the bit of 64 is set. Without a branch, since nothing foretells which digit is one.
    word = (word << 4) | ((code & 15) + 9 * (code >> 6));
  }
  return word >>> 0;
};

const IS_DIGIT = Uint8Array.from({ length: 128 }, (_, code) => Number(/[0-9a-f]/.test(String.fromCharCode(code))));

/** Whether it is one in hex. Without a pattern, because it is asked of every reply. */
export const isKey = (text: string): boolean => {
  if (text.length !== 2 * KEY_BYTES) return false;
  let digits = 0;
  for (let i = 0; i < text.length; i++) digits += IS_DIGIT[text.charCodeAt(i)] ?? 0;
  return digits === text.length;
};

export const wordsOf = (hex: string): KeyWords => [wordAt(hex, 0), wordAt(hex, 8), wordAt(hex, 16), wordAt(hex, 24)];

export const writeKey = (into: DataView, at: number, hex: string): void => {
  into.setUint32(at, wordAt(hex, 0));
  into.setUint32(at + 4, wordAt(hex, 8));
  into.setUint32(at + 8, wordAt(hex, 16));
  into.setUint32(at + 12, wordAt(hex, 24));
};

export const wordsIn = (bytes: DataView, at: number): KeyWords => [
  bytes.getUint32(at),
  bytes.getUint32(at + 4),
  bytes.getUint32(at + 8),
  bytes.getUint32(at + 12),
];

export const writeWords = (into: DataView, at: number, [a, b, c, d]: KeyWords): void => {
  into.setUint32(at, a);
  into.setUint32(at + 4, b);
  into.setUint32(at + 8, c);
  into.setUint32(at + 12, d);
};

/** The same bytes. */
export const viewOf = (bytes: Uint8Array): DataView => new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
