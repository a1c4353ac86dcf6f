/**
 * Finds an answer by its key, from the thread that asks. Keys of this run and those that no segment of the index has yet are
 * in memory; of most others the sieves know without a look at the file that they have never been seen. For the rest it is a
 * seek in the segment that may hold it, the row, and the batches of the log with its events. The connection is opened on first
 * use.
 */
import { DatabaseSync, type StatementSync } from "node:sqlite";
import type { KeptReply, Reply } from "../kernel/evidence.ts";
import { AnswerKeys } from "./answer-keys.ts";
import { CarriedRows } from "./carried-answers.ts";
import { isLargeReply } from "./draft-fields.ts";
import { KeyTable } from "./key-table.ts";
import { viewOf, wordsIn, wordsOf, type KeyWords } from "./key-words.ts";
import { recordedWith } from "./recorded-with.ts";
import { blobOf, ENTRY_BYTES, eventsOfEntry, KEEP_MS, openLines, placeOf } from "./replies-format.ts";
import { ReplyLookup } from "./reply-lookup.ts";
import type { RowSeal } from "./row-seal.ts";
import { StoredBatches } from "./stored-batches.ts";
import { UnindexedKeys } from "./unindexed-keys.ts";

const BUSY_MS = 2000;
/** Nobody can make anything of it, so the call is not made again. */
const UNREADABLE: KeptReply = Object.freeze({ text: "", eventIds: [], call: null });

interface Statements {
  readonly db: DatabaseSync;
  readonly indexed: StatementSync;
  readonly row: StatementSync;
  readonly newer: UnindexedKeys;
  readonly carried: CarriedRows;
  readonly answerKeys: AnswerKeys;
  readonly whole: ReplyLookup;
  readonly batches: StoredBatches;
}

/** Answers of a row. */
interface Stored {
  readonly keys: Buffer;
  readonly texts: Uint8Array;
  readonly seal: RowSeal;
}

const open = (path: string, seal: RowSeal): Statements => {
  const db = new DatabaseSync(path, { readOnly: true, timeout: BUSY_MS });
  const carried = new CarriedRows(db);
  const answerKeys = new AnswerKeys(db, seal);
  return {
    db,
    indexed: db.prepare("SELECT upto FROM answer_segment ORDER BY id DESC LIMIT 1"),
    row: db.prepare("SELECT keys, texts FROM answer WHERE first = ?"),
    newer: new UnindexedKeys(db, carried, answerKeys),
    carried,
    answerKeys,
    whole: new ReplyLookup(db),
    batches: new StoredBatches(db),
  };
};

/** Keys that came one after another. */
interface Recent {
  readonly rows: KeyTable;
  /** The highest of them. */
  last: number;
}

export class RepliesReader {
  readonly #path: string;
  readonly #seal: RowSeal;
  #statements: Statements | null = null;
  #closed = false;
  /** Oldest first; all that no whole segment has, unless `#isUnsure`. */
  #recent: Recent[] = [];
  /** Nobody looked yet, or a commit failed and nobody knows what of it is in the file. */
  #isUnsure = true;
  /** The last commit that was told of, by its first event, and the row of its small replies. */
  #commit = 0;
  #row = 0;

  constructor(path: string, seal: RowSeal) {
    this.#path = path;
    this.#seal = seal;
  }

  /** A reply is in the file, with the event of this sequence, in the commit that begins at the other. */
  committed(reply: Reply, sequence: number, commit: number): void {
    const { key } = reply;
    if (isLargeReply(reply)) return this.#remember(wordsOf(key), sequence);
    if (commit !== this.#commit) {
      this.#commit = commit;
      this.#row = sequence;
    }
    this.#remember(wordsOf(key), this.#row);
  }

  failed(): void {
    this.#isUnsure = true;
  }

  find(key: string, now: number): KeptReply | null {
    if (this.#closed) return null;
    const statements = this.#ready();
    const words = wordsOf(key);
    const first = this.#recentRow(words) ?? statements.whole.latest(words);
    const stored = first === null ? null : this.#stored(statements, first);
    if (first === null || stored === null) return null;
    const { keys, texts, seal } = stored;
    const place = placeOf(keys, key);
    if (place === -1) return null;
    const text = openLines(blobOf(texts), seal)?.[place] ?? null;
    // Purged.
    if (text === "") return null;
    const recorded = recordedWith(statements.batches, eventsOfEntry(keys, place, first));
    if (recorded !== null && recorded.call !== null && recorded.call.at < now - KEEP_MS) return null;
    return text === null || recorded === null ? UNREADABLE : { text, ...recorded };
  }

  close(): void {
    this.#closed = true;
    this.#statements?.db.close();
    this.#statements = null;
  }

  #ready(): Statements {
    this.#statements ??= open(this.#path, this.#seal);
    if (this.#isUnsure) this.#readTail(this.#statements);
    return this.#statements;
  }

  #readTail({ indexed, newer, whole }: Statements): void {
    this.#recent = [];
    const upto = Number(indexed.get()?.["upto"] ?? 0);
    whole.refresh();
    for (const { row, keys } of newer.after(upto)) {
      const entries = viewOf(keys);
      for (let at = 0; at < keys.length; at += ENTRY_BYTES) this.#remember(wordsIn(entries, at), row);
    }
    this.#isUnsure = false;
  }

  /** Null: they are gone. */
  #stored({ row, carried, answerKeys }: Statements, first: number): Stored | null {
    const own = row.get(first);
    if (own !== undefined) return { keys: blobOf(own["keys"]), texts: blobOf(own["texts"]), seal: this.#seal };
    const found = carried.at(first);
    return found && { ...found, seal: answerKeys.of(first) };
  }

  #recentRow(key: KeyWords): number | null {
    for (let i = this.#recent.length - 1; i >= 0; i--) {
      const row = this.#recent[i]?.rows.get(key) ?? null;
      if (row !== null) return row;
    }
    return null;
  }

  #remember(key: KeyWords, row: number): void {
    // Whoever asks first reads all of them from the file.
    if (this.#statements === null) return;
    let recent = this.#recent[this.#recent.length - 1];
    if (recent === undefined || recent.rows.isFull) {
      this.#forgetIndexed(this.#statements);
      recent = { rows: new KeyTable(), last: 0 };
      this.#recent.push(recent);
    }
    recent.rows.set(key, row);
    recent.last = Math.max(recent.last, row);
  }

  #forgetIndexed({ indexed, whole }: Statements): void {
    try {
      const upto = Number(indexed.get()?.["upto"] ?? 0);
      if (!this.#recent.some(({ last }) => last <= upto)) return;
      whole.refresh();
      this.#recent = this.#recent.filter(({ last }) => last > upto);
    } catch {
      // Whoever waits for its commit is not to suffer from this; who looks next reads all again, and hears of it.
      this.#isUnsure = true;
    }
  }
}
