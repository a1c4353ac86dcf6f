/**
 * The log on its one thread: gives sequence, time and place in the chain, composes, and inserts one row per batch. All of
 * its state is read back from the file when it opens, so after any failure it is thrown away and opened again; nothing
 * that was not committed leaves a trace in the sequence.
 */
import { closeSync, existsSync, openSync, statSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync, type StatementSync } from "node:sqlite";
import { stableString } from "../kernel/stable.ts";
import { eventComposer, type ComposeEvent, type EventOrigin } from "./compose-event.ts";
import { CorrelationIndex } from "./correlation-index.ts";
import { FIELD, STRIDE, type DraftFields } from "./draft-fields.ts";
import { contentHashOfLine, correlationOfLine } from "./event-line.ts";
import { EVIDENCE_FILE, prepareSchema } from "./evidence-schema.ts";
import { callKey, endsInvocation, OpenCalls } from "./open-calls.ts";
import { RecentHeads } from "./recent-heads.ts";

export interface StoreOptions extends EventOrigin {
  readonly dir: string;
  /** The last sequence that is known to be durable: a file that holds less is not this host's log any more. */
  readonly knownLast: number;
}

/** Ids of a batch's events; their sequences count up from `first`. */
export interface Written {
  readonly first: number;
  /** Joined; each has `EVENT_ID_CHARS`. */
  readonly eventIds: string;
}

interface StoredEvent {
  readonly event_type: string;
  readonly invocation_id: string;
  readonly correlation: { readonly correlation_id: string };
  readonly timestamp: string;
}

const BUSY_MS = 1000;
const CHECK_FILE_MS = 1000;

export class EvidenceStore {
  readonly openCalls = new OpenCalls();
  #lastSequence = 0;
  #lastTime = 0;
  #inTransaction = false;
  #checkedFile = 0;
  readonly #path: string | null;
  readonly #inode: number;
  readonly #db: DatabaseSync;
  readonly #compose: ComposeEvent;
  readonly #heads = new RecentHeads();
  readonly #index: CorrelationIndex;
  readonly #trustFresh: boolean;
  readonly #insert: StatementSync;
  readonly #batchAt: StatementSync;
  readonly #carry: StatementSync;
  readonly #uncarry: StatementSync;

  constructor(options: StoreOptions) {
    const inMemory = options.durability === "memory";
    this.#path = inMemory ? null : join(options.dir, EVIDENCE_FILE);
    // SQLite gives its journal files the mode of the database.
    if (this.#path !== null && !existsSync(this.#path)) closeSync(openSync(this.#path, "a", 0o600));
    this.#db = new DatabaseSync(this.#path ?? ":memory:", { timeout: BUSY_MS });
    this.#compose = eventComposer(options);
    // Later opens follow a failure, after which the memory of recent heads is gone.
    this.#trustFresh = options.knownLast === 0;
    try {
      // Under `batched` a commit is in the system's hands at once and on disk with the next `sync`.
      const wait = options.durability === "batched" ? "NORMAL" : "FULL";
      this.#db.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = ${wait}`);
      prepareSchema(this.#db);
      this.#insert = this.#db.prepare(
        "INSERT INTO batch (first, count, open_from, correlations, events) VALUES (?, ?, ?, ?, ?)",
      );
      this.#batchAt = this.#db.prepare("SELECT first, events FROM batch WHERE first <= ? ORDER BY first DESC LIMIT 1");
      this.#carry = this.#db.prepare("INSERT OR IGNORE INTO carried (sequence, call) VALUES (?, ?)");
      this.#uncarry = this.#db.prepare("DELETE FROM carried WHERE sequence = ?");
      this.#readEnd(options.knownLast);
      this.#index = new CorrelationIndex(this.#db);
      this.#inode = this.#path === null ? 0 : statSync(this.#path).ino;
    } catch (error) {
      this.#db.close();
      throw error;
    }
  }

  get lastSequence(): number {
    return this.#lastSequence;
  }

  /** Composes and inserts; durable only after `commit`. */
  write(fields: DraftFields): Written {
    this.#checkFile();
    this.#begin();
    const first = this.#lastSequence + 1;
    const count = fields.length / STRIDE;
    this.#lastTime = Math.max(this.#lastTime, Date.now());
    const timestamp = new Date(this.#lastTime).toISOString();
    let eventIds = "";
    let correlations = "";
    let lines = "";
    for (let i = 0; i < count; i++) {
      const at = i * STRIDE;
      const correlationId = fields[at + FIELD.correlationId] ?? "";
      const prevHash = this.#prevHash(fields, at, correlationId);
      const event = this.#compose(fields, at, { sequence: first + i, timestamp, prevHash });
      this.#heads.set(correlationId, event.contentHash);
      if (this.#index.add(correlationId, first)) correlations += `${i === 0 ? "" : "\n"}${stableString(correlationId)}`;
      this.#trackCall(fields, at, first + i);
      eventIds += event.eventId;
      lines += i === 0 ? event.line : `\n${event.line}`;
    }
    this.#lastSequence = first + count - 1;
    this.#carryOld();
    this.#insert.run(first, count, this.openCalls.lowest(), correlations, lines);
    this.#index.advance(this.#lastSequence);
    return { first, eventIds };
  }

  commit(): void {
    if (!this.#inTransaction) return;
    this.#db.exec("COMMIT");
    this.#inTransaction = false;
  }

  /** Throws when the store cannot be written. */
  probe(): void {
    this.#checkFile();
    this.#begin();
    this.#db.prepare("INSERT OR REPLACE INTO probe (id, at) VALUES (1, ?)").run(new Date().toISOString());
    this.commit();
  }

  lineOf(sequence: number): string {
    const row = this.#batchAt.get(sequence);
    return String(row?.["events"]).split("\n")[sequence - Number(row?.["first"])] ?? "";
  }

  /** A clean end. After a failure `abandon` is the one to call. */
  close(): void {
    this.#begin();
    this.#index.flush();
    this.commit();
    this.#db.close();
  }

  /** Ends without writing; an open transaction is rolled back. */
  abandon(): void {
    this.#db.close();
  }

  #begin(): void {
    if (this.#inTransaction) return;
    this.#db.exec("BEGIN IMMEDIATE");
    this.#inTransaction = true;
  }

  /** A removed file can still be written to by whoever has it open; nobody would ever read that. */
  #checkFile(): void {
    if (this.#path === null) return;
    const now = performance.now();
    if (now - this.#checkedFile < CHECK_FILE_MS) return;
    this.#checkedFile = now;
    if (statSync(this.#path, { throwIfNoEntry: false })?.ino !== this.#inode) {
      throw new Error(`${this.#path} was removed or replaced while the host runs`);
    }
  }

  #prevHash(fields: DraftFields, at: number, correlationId: string): string | null {
    const recent = this.#heads.get(correlationId);
    if (recent !== undefined) return recent;
    const fresh = this.#trustFresh && fields[at + FIELD.fresh] !== null;
    if (fresh && !this.openCalls.has(callKey(fields[at + FIELD.invocationId] ?? "", correlationId))) return null;
    const batch = this.#index.latest(correlationId);
    if (batch === null) return null;
    const lines = String(this.#batchAt.get(batch)?.["events"]).split("\n");
    const line = lines.findLast((each) => correlationOfLine(each) === correlationId);
    return line === undefined ? null : contentHashOfLine(line);
  }

  #trackCall(fields: DraftFields, at: number, sequence: number): void {
    const type = fields[at + FIELD.type] ?? "";
    const starts = type === "execution_started";
    if (!starts && !endsInvocation(type)) return;
    const key = callKey(fields[at + FIELD.invocationId] ?? "", fields[at + FIELD.correlationId] ?? "");
    if (starts) {
      this.openCalls.start(key, sequence);
      return;
    }
    const carried = this.openCalls.end(key);
    if (carried !== null) this.#uncarry.run(carried);
  }

  #carryOld(): void {
    for (;;) {
      const old = this.openCalls.carryNext(this.#lastSequence);
      if (old === null) return;
      this.#carry.run(old.sequence, old.key);
    }
  }

  /** Last sequence and time, and the calls that have not ended: reads from the lowest open one on, not the whole log. */
  #readEnd(knownLast: number): void {
    const row = this.#db.prepare("SELECT first, count, open_from, events FROM batch ORDER BY first DESC LIMIT 1").get();
    this.#lastSequence = row === undefined ? 0 : Number(row["first"]) + Number(row["count"]) - 1;
    if (this.#lastSequence < knownLast) {
      throw new Error(`${this.#path} ends at event ${this.#lastSequence}, but event ${knownLast} was written`);
    }
    if (row === undefined) return;
    const last = JSON.parse(this.lineOf(this.#lastSequence)) as StoredEvent;
    this.#lastTime = Date.parse(last.timestamp);
    if (row["open_from"] !== null) this.#readOpenCalls(Number(row["open_from"]));
    for (const carried of this.#db.prepare("SELECT sequence, call FROM carried ORDER BY sequence DESC").iterate()) {
      this.openCalls.restoreCarried(String(carried["call"]), Number(carried["sequence"]));
    }
  }

  #readOpenCalls(from: number): void {
    const start = Number(this.#batchAt.get(from)?.["first"]);
    for (const row of this.#db
      .prepare("SELECT first, events FROM batch WHERE first >= ? ORDER BY first")
      .iterate(start)) {
      let sequence = Number(row["first"]);
      for (const line of String(row["events"]).split("\n")) {
        if (sequence >= from) this.#replayCall(line, sequence);
        sequence++;
      }
    }
  }

  #replayCall(line: string, sequence: number): void {
    if (!line.includes('"event_type": "execution_')) return;
    const event = JSON.parse(line) as StoredEvent;
    const key = callKey(event.invocation_id, event.correlation.correlation_id);
    if (event.event_type === "execution_started") this.openCalls.start(key, sequence);
    else if (endsInvocation(event.event_type)) this.openCalls.end(key);
  }
}
