/**
 * Takes over what versions before format 5 kept of answers: keys of 64 hex digits, sequences joined by `,`, before each text
 * the ids of its events, joined, and a blank; the texts of a row in the open, each sealed by who wrote it, or sealed together.
 */
import type { DatabaseSync } from "node:sqlite";
import { EVENT_ID_CHARS } from "./compose-event.ts";
import { viewOf } from "./key-words.ts";
import { ENTRY_BYTES, KEY_CHARS, openLines, sealLines, writeEntry } from "./replies-format.ts";
import type { RowSeal } from "./row-seal.ts";

const EARLIER_KEY_CHARS = 64;

export const takeOverReplies = (db: DatabaseSync, seal: RowSeal | null): void => {
  const has = db.prepare("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'reply'").get();
  if (has === undefined) return;
  // Else what is purged later would still stand in the pages that this leaves.
  db.exec("PRAGMA secure_delete = ON; BEGIN IMMEDIATE");
  try {
    const insert = db.prepare("INSERT OR IGNORE INTO answer (first, at, keys, texts) VALUES (?, ?, ?, ?)");
    for (const row of db.prepare("SELECT * FROM reply").iterate()) {
      const { keys, texts } = renewed(row, seal);
      insert.run(Number(row["first"]), Number(row["at"]), keys, texts);
    }
    db.exec("DROP TABLE reply; DROP TABLE reply_segment; DROP TABLE reply_key; COMMIT");
  } catch (error) {
    db.exec("ROLLBACK");
    throw error;
  }
  db.exec("PRAGMA secure_delete = FAST; PRAGMA wal_checkpoint(TRUNCATE)");
};

const renewed = (
  row: Readonly<Record<string, unknown>>,
  seal: RowSeal | null,
): { readonly keys: Buffer; readonly texts: Uint8Array } => {
  const sealed = row["sealed"];
  const joined = String(row["keys"]);
  const count = joined.length / EARLIER_KEY_CHARS;
  const lines = sealed instanceof Uint8Array ? openLines(Buffer.from(sealed), seal) : String(row["texts"]).split("\n");
  const sequences = String(row["sequences"]).split(",");
  const keys = Buffer.allocUnsafe(count * ENTRY_BYTES);
  const entries = viewOf(keys);
  const texts: string[] = [];
  for (let i = 0; i < count; i++) {
    const line = lines?.[i] ?? "";
    const blank = line.indexOf(" ");
    texts.push(line.slice(blank + 1));
    const ended = { sequence: Number(sequences[i]), count: Math.max(1, blank / EVENT_ID_CHARS) };
    const key = joined.slice(i * EARLIER_KEY_CHARS, i * EARLIER_KEY_CHARS + KEY_CHARS);
    writeEntry(entries, i * ENTRY_BYTES, key, { ended, begun: null }, Number(row["first"]));
  }
  // What cannot be read stays what cannot be read.
  return { keys, texts: lines === null ? (sealed as Uint8Array) : sealLines(texts.join("\n"), seal) };
};
