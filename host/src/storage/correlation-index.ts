/**
 * Which batches hold events of a correlation. Filled behind the log so that no acknowledgement waits for it: new entries
 * stay in memory (the tail); after `SEGMENT_EVENTS` events they are sorted and written as one segment, a slice in each of
 * the following transactions. A segment is appended at the end of its table, so its price does not grow with the log,
 * which one tree over all (random) ids would make it do. A restart rebuilds the tail from the batches after the last
 * whole segment; slices of an unfinished segment are true already and are written again.
 */
import type { DatabaseSync, StatementSync } from "node:sqlite";

export const SEGMENT_EVENTS = 32_768;
const SLICE = 256;

interface Freezing {
  readonly ids: readonly string[];
  readonly batches: readonly number[];
  /** Positions in both, in the order of the segment. */
  readonly order: Uint32Array;
  readonly latest: ReadonlyMap<string, number>;
  readonly upto: number;
  written: number;
}

/** One seek per whole segment; also used by readers. */
export const FROM_INDEX = "FROM segment s CROSS JOIN correlation c ON c.segment = s.id AND c.correlation_id = ?";

export class CorrelationIndex {
  #ids: string[] = [];
  #batches: number[] = [];
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
    this.#find = db.prepare(`SELECT max(c.batch) AS batch ${FROM_INDEX}`);
    this.#insert = db.prepare("INSERT OR IGNORE INTO correlation (segment, correlation_id, batch) VALUES (?, ?, ?)");
    this.#finish = db.prepare("INSERT INTO segment (id, upto) VALUES (?, ?)");
    const tail = db.prepare("SELECT first, count, correlations FROM batch WHERE first > ? ORDER BY first");
    for (const batch of tail.iterate(this.#indexed)) {
      const first = Number(batch["first"]);
      // Parsed rather than sliced: a slice keeps the text it was cut from in memory.
      for (const text of String(batch["correlations"]).split("\n")) this.add(JSON.parse(text) as string, first);
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

  /** False when the batch is known for this correlation already. */
  add(correlationId: string, batch: number): boolean {
    if (this.#latest.get(correlationId) === batch) return false;
    this.#latest.set(correlationId, batch);
    this.#ids.push(correlationId);
    this.#batches.push(batch);
    return true;
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
    const [ids, batches] = [this.#ids, this.#batches];
    const order = Uint32Array.from(ids.keys()).toSorted((a, b) => {
      const [x, y] = [ids[a] ?? "", ids[b] ?? ""];
      return x < y ? -1 : x > y ? 1 : a - b;
    });
    this.#freezing = { ids, batches, order, latest: this.#latest, upto: this.#last, written: 0 };
    this.#ids = [];
    this.#batches = [];
    this.#latest = new Map();
    return this.#freezing;
  }

  #writeSlice(freezing: Freezing, size: number): void {
    const { ids, batches, order } = freezing;
    const end = Math.min(order.length, freezing.written + size);
    for (; freezing.written < end; freezing.written++) {
      const at = order[freezing.written] ?? 0;
      this.#insert.run(this.#segment, ids[at] ?? "", batches[at] ?? 0);
    }
    if (end < order.length) return;
    this.#finish.run(this.#segment, freezing.upto);
    this.#indexed = freezing.upto;
    this.#segment++;
    this.#freezing = null;
  }
}
