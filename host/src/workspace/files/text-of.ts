/**
 * Which files are text, and parts of them by characters. The type decides, and the bytes must be valid UTF-8; a type that says
 * nothing leaves it to the bytes. A character is a code point, so no pair is ever cut in two.
 */
import { isAscii, isUtf8 } from "node:buffer";
import { bareType, isUnknownType } from "./mime-type-of.ts";

const TEXT_TYPE = /^(?:text\/.*|application\/(?:json|xml|yaml)|.*\+(?:json|xml))$/;

export const isTextType = (mimeType: string): boolean => TEXT_TYPE.test(bareType(mimeType));

export const isText = (mimeType: string, bytes: Uint8Array): boolean => {
  if (isTextType(mimeType)) return isUtf8(bytes);
  return isUnknownType(mimeType) && !bytes.includes(0) && isUtf8(bytes);
};

/** The text of the first bytes, without the character that the cut went through. */
export const textHead = (bytes: Uint8Array, most: number): string => {
  let end = Math.min(most, bytes.length);
  if (end < bytes.length) while (end > 0 && isContinuation(bytes[end])) end--;
  return decode(bytes, 0, end);
};

export interface TextPart {
  readonly text: string;
  /** Where the next part begins; null when this was the last. */
  readonly nextOffset: number | null;
}

/** `bytes` are valid UTF-8. */
export const textPart = (bytes: Uint8Array, offset: number, length: number): TextPart => {
  const walk = isAscii(bytes) ? stepBytes : stepCharacters;
  const start = walk(bytes, 0, offset);
  const end = walk(bytes, start, length);
  return { text: decode(bytes, start, end), nextOffset: end < bytes.length ? offset + length : null };
};

const decode = (bytes: Uint8Array, start: number, end: number): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString("utf8", start, end);

const isContinuation = (byte: number | undefined): boolean => byte !== undefined && (byte & 0xc0) === 0x80;

const stepBytes = (bytes: Uint8Array, from: number, characters: number): number =>
  Math.min(from + characters, bytes.length);

const stepCharacters = (bytes: Uint8Array, from: number, characters: number): number => {
  let at = from;
  for (let left = characters; left > 0 && at < bytes.length; left--) {
    const lead = bytes[at] ?? 0;
    at += lead < 0x80 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
  }
  return at;
};
