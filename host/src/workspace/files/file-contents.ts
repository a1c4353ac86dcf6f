/** A file as the result of a read: as text when it says that it is text and is, else in base64. */
import { isUtf8 } from "node:buffer";
import type { BuiltInContents } from "../../kernel/built-in.ts";
import type { FileInfo } from "../../kernel/files.ts";
import { rawJson } from "../../kernel/raw-json.ts";
import { isTextType } from "./text-of.ts";

/** Escaped, a text may have six times as many characters, and no string holds more than half a billion. */
const MAX_TEXT = 64 * 1024 * 1024;

export interface ContentsOrder {
  /** As it was asked for. */
  readonly uri: string;
  readonly file: FileInfo;
  readonly bytes: Buffer;
  readonly meta?: object;
}

export const fileContents = ({ uri, file: { mimeType }, bytes, meta }: ContentsOrder): BuiltInContents => {
  const isText = bytes.length <= MAX_TEXT && isTextType(mimeType) && isUtf8(bytes);
  const key = isText ? "text" : "blob";
  const content = bytes.toString(isText ? "utf8" : "base64");
  const label = { uri, mimeType, ...(meta === undefined ? {} : { _meta: meta }) };
  // Base64 needs no escapes, so it is not looked through for any.
  const written = isText ? JSON.stringify(content) : `"${content}"`;
  const json = rawJson(`{"contents":[${JSON.stringify(label).slice(0, -1)},"${key}":${written}}]}`);
  return { json, value: { contents: [{ ...label, [key]: content }] } };
};
