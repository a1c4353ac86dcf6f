/**
 * Which batches hold events of a correlation. Filled behind the log so that no acknowledgement waits for it: new entries
 * stay in memory (the tail); after `SEGMENT_EVENTS` events they are sorted and written as one segment, a slice in each of
 * the following transactions. A segment is appended at the end of its table, so its price does not grow with the log,
 * which one tree over all (random) ids would make it do. A restart rebuilds the tail from the batches after the last
 * whole segment; slices of an unfinished segment are true already and are written again.
 */
import type { DatabaseSync, StatementSync } from "node:sqlite";
import { correlationOfLine } from "./event-line.ts";

export const SEGMENT_EVENTS = 16_384;
const SLICE = 256;

type Entry = readonly [correlationId: string, batch: number];

interface Freezing {
  readonly entries: readonly Entry[];
  readonly latest: ReadonlyMap<string, number>;
  readonly upto: number;
  written: number;
}

/** Batches of one correlation in whole segments, rising; also used by readers. */
export const INDEXED_BATCHES = `SELECT c.batch AS batch FROM segment s CROSS JOIN correlation c
  ON c.segment = s.id AND c.correlation_id = ? ORDER BY c.batch`;

export class CorrelationIndex {
  #entries: Entry[] = [];
  #latest = new Map<string, number>();
  #freezing: Freezing | null = null;
  #indexed: number;
  #last: number;
  #segment: number;
  readonly #find: StatementSync;
  readonly #insert: StatementSync;
  readonly #finish: StatementSync;

  constructor(db: DatabaseSync) {
    const row = db.prepare("SELECT max(id) AS id, max(upto) AS upto FROM segment").get();
    this.#segment = Number(row?.["id"] ?? 0) + 1;
    this.#indexed = Number(row?.["upto"] ?? 0);
    this.#last = this.#indexed;
    this.#find = db.prepare(`SELECT max(batch) AS batch FROM (${INDEXED_BATCHES})`);
    this.#insert = db.prepare("INSERT OR IGNORE INTO correlation (segment, correlation_id, batch) VALUES (?, ?, ?)");
    this.#finish = db.prepare("INSERT INTO segment (id, upto) VALUES (?, ?)");
    const tail = db.prepare("SELECT first, count, events FROM batch WHERE first > ? ORDER BY first");
    for (const batch of tail.iterate(this.#indexed)) {
      const first = Number(batch["first"]);
      for (const line of String(batch["events"]).split("\n")) this.add(correlationOfLine(line), first);
      this.#last = first + Number(batch["count"]) - 1;
    }
  }

  /** The last batch that holds an event of this correlation, or null. */
  latest(correlationId: string): number | null {
    const inMemory = this.#latest.get(correlationId) ?? this.#freezing?.latest.get(correlationId);
    if (inMemory !== undefined) return inMemory;
    const batch = this.#find.get(correlationId)?.["batch"];
    return batch === null || batch === undefined ? null : Number(batch);
  }

  add(correlationId: string, batch: number): void {
    if (this.#latest.get(correlationId) === batch) return;
    this.#latest.set(correlationId, batch);
    this.#entries.push([correlationId, batch]);
  }

  /** After a batch: freezes the tail when it is long enough, and writes a slice of what is frozen. */
  advance(lastSequence: number): void {
    this.#last = lastSequence;
    if (this.#freezing === null && lastSequence - this.#indexed >= SEGMENT_EVENTS) this.#freeze();
    if (this.#freezing !== null) this.#writeSlice(this.#freezing, SLICE);
  }

  /** At a clean end: writes the tail if it is long enough to be worth a segment of its own. */
  flush(): void {
    if (this.#freezing !== null) this.#writeSlice(this.#freezing, Infinity);
    if (this.#last - this.#indexed < SEGMENT_EVENTS / 4) return;
    this.#writeSlice(this.#freeze(), Infinity);
  }

  #freeze(): Freezing {
    const entries = this.#entries.toSorted((a, b) => (a[0] < b[0] ? -1 : a[0] > b[0] ? 1 : a[1] - b[1]));
    this.#freezing = { entries, latest: this.#latest, upto: this.#last, written: 0 };
    this.#entries = [];
    this.#latest = new Map();
    return this.#freezing;
  }

  #writeSlice(freezing: Freezing, size: number): void {
    const end = Math.min(freezing.entries.length, freezing.written + size);
    for (; freezing.written < end; freezing.written++) {
      const entry = freezing.entries[freezing.written];
      if (entry) this.#insert.run(this.#segment, entry[0], entry[1]);
    }
    if (end < freezing.entries.length) return;
    this.#finish.run(this.#segment, freezing.upto);
    this.#indexed = freezing.upto;
    this.#segment++;
    this.#freezing = null;
  }
}
