/**
 * Reads the log from any process, while the host runs or not. Hands out canonical event lines. Long reads go batch by
 * batch, each in a transaction of its own, so that a slow reader never keeps the host from tidying its journal.
 * By sequence and by correlation it seeks; by event id or invocation id it walks back from the newest batch. What was
 * purged is not there.
 */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync, type StatementSync } from "node:sqlite";
import { Refusal } from "../kernel/refusal.ts";
import { stableString } from "../kernel/stable.ts";
import { correlationOfLine } from "./event-line.ts";
import { EVIDENCE_FILE } from "./evidence-schema.ts";

export interface EvidenceReader {
  /** The last sequence; 0 when the log is empty. */
  last(): number;
  /** The newest `limit` events, oldest first. */
  tail(limit: number): string[];
  byId(id: string | number): string | null;
  /** Later ones than the sequence `since` only; default: all. Earlier ones cost nothing. */
  byCorrelation(correlationId: string, since?: number): Iterable<string>;
  /** Newest first, older ones than this sequence only. */
  byCorrelationBack(correlationId: string, before: number): Iterable<string>;
  byInvocation(invocationId: string): Iterable<string>;
  /** Batches newest first, from the one before the event with this sequence on. */
  batchesBack(before: number): Iterable<BatchText>;
  /** Sequences `from` to `to`, both included. */
  range(from: number, to: number): Iterable<string>;
  close(): void;
}

export interface BatchText {
  readonly first: number;
  readonly count: number;
  /** Its lines; purged ones are empty. */
  readonly text: string;
}

interface Found {
  readonly first: number;
  readonly lines: readonly string[];
}

interface NamedEvent {
  readonly event_id: string;
  readonly invocation_id: string;
}

const BUSY_MS = 2000;

const found = (row: Record<string, unknown> | undefined): Found | null =>
  row === undefined ? null : { first: Number(row["first"]), lines: String(row["events"]).split("\n") };

class StoreReader implements EvidenceReader {
  readonly #db: DatabaseSync;
  readonly #batchAt: StatementSync;
  readonly #batchAfter: StatementSync;
  readonly #batchBefore: StatementSync;
  readonly #newestWith: StatementSync;
  readonly #inSegment: StatementSync;
  readonly #tailWith: StatementSync;

  constructor(path: string) {
    this.#db = new DatabaseSync(path, { readOnly: true, timeout: BUSY_MS });
    this.#batchAt = this.#db.prepare("SELECT first, events FROM batch WHERE first <= ? ORDER BY first DESC LIMIT 1");
    this.#batchAfter = this.#db.prepare("SELECT first, events FROM batch WHERE first > ? ORDER BY first LIMIT 1");
    this.#batchBefore = this.#db.prepare(
      "SELECT first, count, events FROM batch WHERE first < ? ORDER BY first DESC LIMIT 1",
    );
    this.#inSegment = this.#db.prepare(
      "SELECT batch FROM correlation WHERE segment = ? AND correlation_id = ? ORDER BY batch",
    );
    this.#tailWith = this.#db.prepare(
      "SELECT first AS batch FROM batch WHERE first > ? AND instr(correlations, ?) > 0 ORDER BY first",
    );
    this.#newestWith = this.#db.prepare(
      "SELECT first, events FROM batch WHERE first < ? AND instr(events, ?) > 0 ORDER BY first DESC LIMIT 1",
    );
  }

  last(): number {
    const row = this.#db.prepare("SELECT first + count - 1 AS last FROM batch ORDER BY first DESC LIMIT 1").get();
    return Number(row?.["last"] ?? 0);
  }

  tail(limit: number): string[] {
    const last = this.last();
    return [...this.range(Math.max(1, last - limit + 1), last)];
  }

  byId(id: string | number): string | null {
    if (typeof id === "number") {
      const batch = found(this.#batchAt.get(id));
      return batch?.lines[id - batch.first] || null;
    }
    return this.#newest(`"event_id": ${stableString(id)}`, ({ event_id }) => event_id === id);
  }

  *byCorrelation(correlationId: string, since = 0): Iterable<string> {
    const from = found(this.#batchAt.get(since + 1))?.first ?? 0;
    const places = this.#placesOf(correlationId);
    for (const first of batchesUp(places, from)) {
      const batch = found(this.#batchAt.get(first));
      for (const line of batch?.lines.slice(Math.max(0, since + 1 - first)) ?? []) {
        if (line !== "" && correlationOfLine(line) === correlationId) yield line;
      }
    }
  }

  *byCorrelationBack(correlationId: string, before: number): Iterable<string> {
    for (const first of batchesDown(this.#placesOf(correlationId), before - 1)) {
      const lines = found(this.#batchAt.get(first))?.lines.slice(0, before - first) ?? [];
      for (const line of lines.toReversed()) if (line !== "" && correlationOfLine(line) === correlationId) yield line;
    }
  }

  *batchesBack(before: number): Iterable<BatchText> {
    for (let next = before; ;) {
      const row = this.#batchBefore.get(next);
      if (row === undefined) return;
      next = Number(row["first"]);
      yield { first: next, count: Number(row["count"]), text: String(row["events"]) };
    }
  }

  *byInvocation(invocationId: string): Iterable<string> {
    const isOurs = ({ invocation_id }: NamedEvent): boolean => invocation_id === invocationId;
    const line = this.#newest(`"invocation_id": ${stableString(invocationId)}`, isOurs);
    if (line === null) return;
    for (const each of this.byCorrelation(correlationOfLine(line))) {
      if (isOurs(JSON.parse(each) as NamedEvent)) yield each;
    }
  }

  /** Of the newest batch that has one. Payloads may hold the same text: of what was said about the event later, for one. */
  #newest(needle: string, isIt: (event: NamedEvent) => boolean): string | null {
    const isLine = (line: string): boolean => line.includes(needle) && isIt(JSON.parse(line) as NamedEvent);
    for (let before = Number.MAX_SAFE_INTEGER; ;) {
      const batch = found(this.#newestWith.get(before, needle));
      if (batch === null) return null;
      const line = batch.lines.find(isLine);
      if (line !== undefined) return line;
      before = batch.first;
    }
  }

  *range(from: number, to: number): Iterable<string> {
    let batch = found(this.#batchAt.get(from)) ?? found(this.#batchAfter.get(from));
    while (batch !== null && batch.first <= to) {
      for (const [i, line] of batch.lines.entries()) {
        const sequence = batch.first + i;
        if (line !== "" && sequence >= from && sequence <= to) yield line;
      }
      batch = found(this.#batchAfter.get(batch.first));
    }
  }

  close(): void {
    this.#db.close();
  }

  /** Whole segments of the index, then the batches that are not indexed yet; in one view, so that none is missed. */
  #placesOf(correlationId: string): CorrelationPlaces {
    this.#db.exec("BEGIN");
    try {
      const segments = this.#db.prepare("SELECT id, upto FROM segment ORDER BY id").all();
      const indexed = Number(segments.at(-1)?.["upto"] ?? 0);
      const tail = this.#tailWith.all(indexed, stableString(correlationId));
      return {
        segments: segments.map((row) => ({ id: Number(row["id"]), upto: Number(row["upto"]) })),
        in: (segment) => this.#inSegment.all(segment, correlationId).map((row) => Number(row["batch"])),
        tail: tail.map((row) => Number(row["batch"])),
      };
    } finally {
      this.#db.exec("COMMIT");
    }
  }
}

/** Where the index says that events of one correlation are, segment by segment as they are asked for. */
interface CorrelationPlaces {
  readonly segments: readonly { readonly id: number; readonly upto: number }[];
  /** Batches in a segment, rising. */
  readonly in: (segment: number) => readonly number[];
  /** Batches after all segments, rising. */
  readonly tail: readonly number[];
}

function* batchesUp(places: CorrelationPlaces, from: number): Iterable<number> {
  for (const { id, upto } of places.segments) {
    if (upto >= from) for (const batch of places.in(id)) if (batch >= from) yield batch;
  }
  for (const batch of places.tail) if (batch >= from) yield batch;
}

function* batchesDown(places: CorrelationPlaces, to: number): Iterable<number> {
  for (const batch of places.tail.toReversed()) if (batch <= to) yield batch;
  for (const { id } of places.segments.toReversed()) {
    for (const batch of places.in(id).toReversed()) if (batch <= to) yield batch;
  }
}

/** Refusal `not_found` when there is no log in the directory. */
export const openEvidenceReader = (dir: string): EvidenceReader => {
  const path = join(dir, EVIDENCE_FILE);
  if (!existsSync(path)) {
    throw new Refusal("not_found", {
      message: `There is no evidence log in ${dir} yet.`,
      next: "Start the host with `bailiwick serve` and make a call, or name its work directory with --workdir.",
    });
  }
  return new StoreReader(path);
};
