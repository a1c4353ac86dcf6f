/**
 * The log on its one thread: takes out secrets, gives sequence, time and place in the chain, composes, and inserts one row per
 * batch, with what becomes durable beside it. All of
 * its state is read back from the file when it opens, so after any failure it is thrown away and opened again; nothing
 * that was not committed leaves a trace in the sequence.
 */
import { join } from "node:path";
import { DatabaseSync, type StatementSync } from "node:sqlite";
import { stableString } from "../kernel/stable.ts";
import { BesideTables } from "./beside-tables.ts";
import { CheckpointTable, type SigningMaterial } from "./checkpoint-table.ts";
import { eventComposer, type ComposeEvent, type EventOrigin } from "./compose-event.ts";
import { CorrelationIndex } from "./correlation-index.ts";
import { FIELD, MARKS, packDraft, STRIDE, unpackDrafts, type DraftFields } from "./draft-fields.ts";
import { contentHashOfLine, correlationOfLine, timeOfLine } from "./event-line.ts";
import { EVIDENCE_FILE, prepareSchema } from "./evidence-schema.ts";
import { callKey, endsInvocation, KnownCallers, OpenCalls } from "./open-calls.ts";
import { readOpenCalls } from "./read-open-calls.ts";
import { RecentHeads } from "./recent-heads.ts";
import { draftRedactor, type RedactDraft } from "./redact-draft.ts";
import { RetainedLines, type Retained } from "./retained-lines.ts";
import type { RowSeal } from "./row-seal.ts";
import { StoredBatches } from "./stored-batches.ts";
import { StoreFile } from "./store-file.ts";
import { leafHex } from "./tree/tree-hash.ts";
import { TileTree } from "./tree/tile-tree.ts";

export interface StoreOptions extends EventOrigin {
  readonly dir: string;
  /** The last sequence that is known to be durable: a file that holds less is not this host's log any more. */
  readonly knownLast: number;
  /** Null: the log is not signed. */
  readonly signing: SigningMaterial | null;
  readonly redactPatterns: readonly string[];
  /** Null: the log is in memory. */
  readonly replySeal: RowSeal | null;
}

/** Ids of a batch's events; their sequences count up from `first`. */
export interface Written {
  readonly first: number;
  /** Joined; each has `EVENT_ID_CHARS`. */
  readonly eventIds: string;
}

const BUSY_MS = 1000;
/** It grows longer while somebody reads for long, and is cut then: else what was deleted since would stand in its end. */
const MAX_JOURNAL_BYTES = 8 << 20;

/** A part of a text keeps all of it in memory; what is remembered for long is copied. */
const copyOf = (part: string): string => ` ${part}`.slice(1);

export class EvidenceStore {
  readonly openCalls = new OpenCalls();
  readonly hostId: string;
  readonly batches: StoredBatches;
  #lastSequence = 0;
  #lastTime = 0;
  #inTransaction = false;
  readonly #file: StoreFile | null;
  readonly #db: DatabaseSync;
  readonly #compose: ComposeEvent;
  readonly #heads = new RecentHeads();
  readonly #callers = new KnownCallers();
  readonly #index: CorrelationIndex;
  readonly #trustFresh: boolean;
  readonly #redact: RedactDraft;
  readonly #tree: TileTree;
  readonly #checkpoints: CheckpointTable;
  readonly #beside: BesideTables;
  readonly #retained: RetainedLines;
  readonly #insert: StatementSync;
  readonly #carry: StatementSync;
  readonly #uncarry: StatementSync;

  constructor(options: StoreOptions) {
    this.hostId = options.hostId;
    const path = options.durability === "memory" ? null : join(options.dir, EVIDENCE_FILE);
    this.#file = path === null ? null : new StoreFile(path);
    this.#db = new DatabaseSync(path ?? ":memory:", { timeout: BUSY_MS });
    this.#compose = eventComposer(options);
    this.#redact = draftRedactor(options.redactPatterns);
    // Later opens follow a failure, after which the memory of recent heads is gone.
    this.#trustFresh = options.knownLast === 0;
    try {
      // Under `batched` a commit is in the system's hands at once and on disk with the next `sync`.
      const wait = options.durability === "batched" ? "NORMAL" : "FULL";
      this.#db.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = ${wait}; PRAGMA secure_delete = FAST`);
      this.#db.exec(`PRAGMA journal_size_limit = ${MAX_JOURNAL_BYTES}`);
      prepareSchema(this.#db);
      this.#insert = this.#db.prepare(
        "INSERT INTO batch (first, count, open_from, correlations, events, answers) VALUES (?, ?, ?, ?, ?, ?)",
      );
      this.batches = new StoredBatches(this.#db);
      this.#carry = this.#db.prepare("INSERT OR IGNORE INTO carried (sequence, call) VALUES (?, ?)");
      this.#uncarry = this.#db.prepare("DELETE FROM carried WHERE sequence = ?");
      this.#readEnd(options.knownLast);
      this.#index = new CorrelationIndex(this.#db);
      this.#tree = new TileTree(this.#db);
      this.#checkpoints = new CheckpointTable(this.#db, this.#tree, options);
      this.#beside = new BesideTables(this.#db, path === null ? null : options.dir, options.replySeal);
      this.#retained = new RetainedLines(this.#db, {
        beside: this.#beside,
        batches: this.batches,
        index: this.#index,
      });
    } catch (error) {
      this.#db.close();
      throw error;
    }
  }

  get lastSequence(): number {
    return this.#lastSequence;
  }

  /** Events that no checkpoint covers; 0 when the log is not signed. */
  get unsigned(): number {
    return this.#checkpoints.unsigned;
  }

  /** Composes and inserts; durable only after `commit`. `texts` are those that travel beside the drafts, in order. */
  write(fields: DraftFields, texts: readonly string[] = []): Written {
    this.#file?.check();
    this.#begin();
    const first = this.#lastSequence + 1;
    this.#lastTime = Math.max(this.#lastTime, Date.now());
    const timestamp = new Date(this.#lastTime).toISOString();
    let sequence = first;
    let text = 0;
    const nextText = (): string => texts[text++] ?? "";
    let eventIds = "";
    let correlations = "";
    let lines = "";
    for (let at = 0; at < fields.length; sequence++) {
      const correlationId = copyOf(fields[at + FIELD.correlationId] ?? "");
      const redacted = this.#redact(fields, at);
      const prevHash = this.#prevHash(fields, at, correlationId);
      const event = this.#compose(fields, at, { sequence, timestamp, prevHash, redacted });
      this.#heads.set(correlationId, event.contentHash);
      this.#tree.add(leafHex(correlationId, event.contentHash));
      if (this.#index.add(correlationId, first)) {
        correlations += `${sequence === first ? "" : "\n"}${stableString(correlationId)}`;
      }
      this.#trackCall(fields, at, sequence);
      eventIds += event.eventId;
      lines += sequence === first ? event.line : `\n${event.line}`;
      const beside = fields[at + FIELD.beside];
      at += STRIDE;
      if (beside === null || beside === undefined) continue;
      const end = at + Number(beside);
      this.#beside.write(fields, [at, end], { sequence, correlationId, at: this.#lastTime, nextText });
      at = end;
    }
    this.#lastSequence = sequence - 1;
    this.#carryOld();
    const answers = this.#beside.replies.flush(this.#lastTime, lines.length);
    this.#insert.run(first, sequence - first, this.openCalls.lowest(), correlations, lines, answers);
    this.#index.advance(this.#lastSequence);
    if (this.#checkpoints.isDue) this.#checkpoints.make(timestamp);
    return { first, eventIds };
  }

  commit(): void {
    if (!this.#inTransaction) return;
    this.#db.exec("COMMIT");
    this.#inTransaction = false;
  }

  /** Throws when the store cannot be written. */
  probe(): void {
    this.#file?.check();
    this.#begin();
    this.#db.prepare("INSERT OR REPLACE INTO probe (id, at) VALUES (1, ?)").run(new Date().toISOString());
    this.commit();
  }

  /** Space, key and value of all records beside the log, in turn. */
  state(): string[] {
    return this.#beside.state.all();
  }

  /** The checkpoint of the log as it is, made now if there is none; null: the log is not signed, or empty. */
  checkpoint(): string | null {
    this.#file?.check();
    this.#begin();
    this.#lastTime = Math.max(this.#lastTime, Date.now());
    const text = this.#checkpoints.make(new Date(this.#lastTime).toISOString());
    this.commit();
    return text;
  }

  useSigner(signing: SigningMaterial): void {
    this.#checkpoints.useSigner(signing);
  }

  /** Changes lines that retention may change, and writes the event that says so, in one transaction. */
  retain(change: (lines: RetainedLines) => Retained | null): Written | null {
    this.#file?.check();
    // What is taken out is overwritten, and with `tidyJournal` in the journal too.
    this.#db.exec("PRAGMA secure_delete = ON");
    this.#begin();
    const done = change(this.#retained);
    const written = done && this.write(unpackDrafts(packDraft(done.draft)));
    for (const id of done?.purged ?? []) this.#heads.forget(id);
    this.commit();
    this.#db.exec("PRAGMA secure_delete = FAST");
    return written;
  }

  /** What was overwritten is in the journal no more. Waits for the disk, and for whoever reads. */
  tidyJournal(): void {
    this.#db.exec("PRAGMA wal_checkpoint(TRUNCATE)");
  }

  /** From where retention has to look, while it holds these. */
  retentionPlace(holds: readonly string[]): number {
    return this.#retained.place(holds);
  }

  /** The sequence that the newest batch with events of a correlation begins at; null: there is none. */
  newestOf(correlationId: string): number | null {
    return this.#index.latest(correlationId);
  }

  /** A clean end. After a failure `abandon` is the one to call. */
  close(): void {
    this.#begin();
    this.#index.flush();
    this.#beside.replies.close();
    this.#checkpoints.make(new Date(Math.max(this.#lastTime, Date.now())).toISOString());
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

  #prevHash(fields: DraftFields, at: number, correlationId: string): string | null {
    const recent = this.#heads.get(correlationId);
    if (recent !== undefined) return recent;
    const fresh = this.#trustFresh && isFresh(fields[at + FIELD.marks]);
    if (fresh && !this.openCalls.has(this.#callKey(fields, at))) return null;
    const batch = this.#index.latest(correlationId);
    if (batch === null) return null;
    const lines = this.batches.at(batch)?.lines ?? [];
    const line = lines.findLast((each) => each !== "" && correlationOfLine(each) === correlationId);
    return line === undefined ? null : copyOf(contentHashOfLine(line));
  }

  #trackCall(fields: DraftFields, at: number, sequence: number): void {
    const type = fields[at + FIELD.type] ?? "";
    const starts = type === "execution_started";
    if (!starts && !endsInvocation(type, fields[at + FIELD.payload] ?? "")) return;
    const key = this.#callKey(fields, at);
    if (starts) {
      this.openCalls.start(key, sequence);
      return;
    }
    const carried = this.openCalls.end(key);
    if (carried !== null) this.#uncarry.run(carried);
  }

  #callKey(fields: DraftFields, at: number): string {
    const caller = this.#callers.of(fields[at + FIELD.subject] ?? "null");
    return callKey(fields[at + FIELD.invocationId] ?? "", fields[at + FIELD.correlationId] ?? "", caller);
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
      throw new Error(`${EVIDENCE_FILE} ends at event ${this.#lastSequence}, but event ${knownLast} was written`);
    }
    if (row === undefined) return;
    this.#lastTime = timeOfLine(this.batches.lineOf(this.#lastSequence));
    const from = row["open_from"] === null ? null : Number(row["open_from"]);
    readOpenCalls({ db: this.#db, batches: this.batches }, this.openCalls, from);
  }
}

const isFresh = (marks: string | null | undefined): boolean => marks === MARKS.fresh || marks === MARKS.both;
