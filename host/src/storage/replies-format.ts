/**
 * How replies stand in the file: the small ones of a commit in one row, a large one in a row of its own; keys (64 hex each,
 * joined), sequences (joined by `,`) and texts (joined by `\n`, before each the ids of its events, joined, and a blank) in the
 * same order. The texts are sealed together, because they hold whatever tools said; a row of an earlier version has them
 * each sealed by whoever wrote it. A row is named by the sequence of its first event, so rows rise with the log. A purged
 * reply is an empty text.
 */
import type { KeptReply } from "../kernel/evidence.ts";
import { EVENT_ID_CHARS } from "./compose-event.ts";
import type { RowSeal } from "./row-seal.ts";

export const REPLY_TABLES = { segments: "reply_segment", entries: "reply_key", id: "key", row: "reply" };
export const KEY_CHARS = 64;
export const KEEP_MS = 24 * 60 * 60 * 1000;
/** A text of more characters has a row of its own. */
export const LARGE_CHARS = 1 << 16;
/** Keys of a segment; most have two replies, that of the intent and the answer. */
export const SEGMENT_REPLIES = 16_384;
/** What the key is for that rows are sealed with. */
export const REPLIES_PURPOSE = "reply-rows";

/** A text as it stands in a row. */
export const packReply = (text: string, eventIds: string): string => `${eventIds} ${text}`;

/** The lines of a row as the file has it. Null: they cannot be read. */
export const linesOfRow = (row: Readonly<Record<string, unknown>>, seal: RowSeal | null): string[] | null => {
  const sealed = row["sealed"];
  const texts = sealed instanceof Uint8Array ? (seal?.unseal(sealed) ?? null) : String(row["texts"]);
  return texts === null ? null : texts.split("\n");
};

/** Null: it was purged. */
export const unpackReply = (line: string): KeptReply | null => {
  const blank = line.indexOf(" ");
  return blank === -1 ? null : { text: line.slice(blank + 1), eventIds: splitEventIds(line.slice(0, blank)) };
};

export const splitEventIds = (joined: string): readonly string[] => {
  const eventIds: string[] = [];
  for (let at = 0; at < joined.length; at += EVENT_ID_CHARS) eventIds.push(joined.slice(at, at + EVENT_ID_CHARS));
  return eventIds;
};

/** By hand, because it is asked twice a call. */
export const isReplyKey = (key: string): boolean => {
  if (key.length !== KEY_CHARS) return false;
  for (let i = 0; i < KEY_CHARS; i++) {
    const c = key.charCodeAt(i);
    if (c < 48 || c > 102 || (c > 57 && c < 97)) return false;
  }
  return true;
};

/** Where the last reply with this key stands in a row, or -1. */
export const placeOf = (keys: string, key: string): number => {
  let at = keys.lastIndexOf(key);
  while (at !== -1 && at % KEY_CHARS !== 0) at = at === 0 ? -1 : keys.lastIndexOf(key, at - 1);
  return at === -1 ? -1 : at / KEY_CHARS;
};
