/**
 * How replies stand in the file: the small ones of a commit in one row, a large one in a row of its own; keys (64 hex each,
 * joined), sequences (joined by `,`) and texts (joined by `\n`, before each the ids of its events, joined, and a blank) in the
 * same order. A row is named by the sequence of its
 * first event, so rows rise with the log. A purged reply is an empty text.
 */
import type { KeptReply } from "../kernel/evidence.ts";
import { EVENT_ID_CHARS } from "./compose-event.ts";

export const REPLY_TABLES = { segments: "reply_segment", entries: "reply_key", id: "key", row: "reply" };
export const KEY_CHARS = 64;
export const KEEP_MS = 24 * 60 * 60 * 1000;
/** A text of more characters has a row of its own. */
export const LARGE_CHARS = 1 << 16;
export const SEGMENT_REPLIES = 32_768;

/** A text as it stands in a row. */
export const packReply = (text: string, eventIds: string): string => `${eventIds} ${text}`;

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

const KEY = /^[0-9a-f]{64}$/;
export const isReplyKey = (key: string): boolean => KEY.test(key);

/** Where the last reply with this key stands in a row, or -1. */
export const placeOf = (keys: string, key: string): number => {
  let at = keys.lastIndexOf(key);
  while (at !== -1 && at % KEY_CHARS !== 0) at = at === 0 ? -1 : keys.lastIndexOf(key, at - 1);
  return at === -1 ? -1 : at / KEY_CHARS;
};
