/**
 * An index from random ids to the rows that hold them, filled behind the log so that no acknowledgement waits for it: new
 * entries stay in memory (the tail); when there are enough, they are sorted and written as one segment, a slice in each of
 * the following transactions. A segment is appended at the end of its table, so its price does not grow with the log,
 * which one tree over all (random) ids would make it do. A restart rebuilds the tail from the rows after the last whole
 * segment; slices of an unfinished segment are true already and are written again.
 */
import type { DatabaseSync, StatementSync } from "node:sqlite";
import { KeySieve, type SievePlaces } from "./key-sieve.ts";
import type { SegmentLookup, SegmentTables } from "./segment-lookup.ts";

export interface SegmentOptions {
  readonly tables: SegmentTables;
  /** A segment is due when the rows since the last one span as much. */
  readonly size: number;
  /** Places of an id in the sieve that is kept with each segment. */
  readonly placesOf: (id: string) => SievePlaces;
  /** Looks into whole segments. */
  readonly whole: SegmentLookup;
}

interface Freezing {
  readonly ids: readonly string[];
  readonly rows: readonly number[];
  /** Positions in both, in the order of the segment. */
  readonly order: Uint32Array;
  readonly latest: ReadonlyMap<string, number>;
  readonly upto: number;
  readonly sieve: KeySieve;
  written: number;
}

/** At least; and twice what has come since the last slice, so that a segment is written before the next one is due. */
const MIN_SLICE = 256;

export class SegmentIndex {
  #ids: string[] = [];
  #rows: number[] = [];
  #latest = new Map<string, number>();
  #freezing: Freezing | null = null;
  /** Entries since the last slice. */
  #added = 0;
  #indexed: number;
  #last: number;
  #segment: number;
  readonly #options: SegmentOptions;
  readonly #insert: StatementSync;
  readonly #finish: StatementSync;

  constructor(db: DatabaseSync, options: SegmentOptions) {
    const { tables } = options;
    const row = db.prepare(`SELECT max(id) AS id, max(upto) AS upto FROM ${tables.segments}`).get();
    this.#options = options;
    this.#segment = Number(row?.["id"] ?? 0) + 1;
    this.#indexed = Number(row?.["upto"] ?? 0);
    this.#last = this.#indexed;
    this.#insert = db.prepare(
      `INSERT OR IGNORE INTO ${tables.entries} (segment, ${tables.id}, ${tables.row}) VALUES (?, ?, ?)`,
    );
    this.#finish = db.prepare(`INSERT INTO ${tables.segments} (id, upto, sieve) VALUES (?, ?, ?)`);
  }

  /** The last row that whole segments cover. */
  get indexed(): number {
    return this.#indexed;
  }

  /** The last row that holds this id, or null. */
  latest(id: string): number | null {
    return this.#latest.get(id) ?? this.#freezing?.latest.get(id) ?? this.#options.whole.latest(id);
  }

  /** Every row that holds one of these ids, rising. */
  rowsOf(wanted: ReadonlySet<string>): number[] {
    const rows = new Set<number>();
    for (const id of wanted) for (const row of this.#options.whole.rows(id)) rows.add(row);
    const unwritten = [this.#freezing, { ids: this.#ids, rows: this.#rows }];
    for (const tail of unwritten) tail?.ids.forEach((id, i) => wanted.has(id) && rows.add(tail.rows[i] ?? 0));
    return [...rows].toSorted((a, b) => a - b);
  }

  /** False when the row is known for this id already. */
  add(id: string, row: number): boolean {
    if (this.#latest.get(id) === row) return false;
    this.#latest.set(id, row);
    this.#added++;
    this.#ids.push(id);
    this.#rows.push(row);
    return true;
  }

  /** After the tail was added again at a start: where it ends. */
  restored(last: number): void {
    this.#last = last;
  }

  /** After a row: freezes the tail when it is long enough, and writes a slice of what is frozen. */
  advance(last: number): void {
    this.#last = last;
    if (this.#freezing === null && this.#tail() >= this.#options.size) this.#freeze();
    if (this.#freezing !== null) this.#writeSlice(this.#freezing, Math.max(MIN_SLICE, 2 * this.#added));
    this.#added = 0;
  }

  /** At a clean end: writes the tail if it is long enough to be worth a segment of its own. */
  flush(): void {
    if (this.#freezing !== null) this.#writeSlice(this.#freezing, Infinity);
    if (this.#tail() < this.#options.size / 4) return;
    this.#writeSlice(this.#freeze(), Infinity);
  }

  #tail(): number {
    return this.#last - this.#indexed;
  }

  #freeze(): Freezing {
    const [ids, rows] = [this.#ids, this.#rows];
    const order = Uint32Array.from(ids.keys()).toSorted((a, b) => {
      const [x, y] = [ids[a] ?? "", ids[b] ?? ""];
      return x < y ? -1 : x > y ? 1 : a - b;
    });
    this.#freezing = { ids, rows, order, latest: this.#latest, upto: this.#last, sieve: new KeySieve(), written: 0 };
    this.#ids = [];
    this.#rows = [];
    this.#latest = new Map();
    return this.#freezing;
  }

  #writeSlice(freezing: Freezing, size: number): void {
    const { ids, rows, order, sieve } = freezing;
    const end = Math.min(order.length, freezing.written + size);
    for (; freezing.written < end; freezing.written++) {
      const at = order[freezing.written] ?? 0;
      this.#insert.run(this.#segment, ids[at] ?? "", rows[at] ?? 0);
      sieve.add(this.#options.placesOf(ids[at] ?? ""));
    }
    if (end < order.length) return;
    this.#finish.run(this.#segment, freezing.upto, sieve.bytes);
    this.#options.whole.add(this.#segment, sieve);
    this.#indexed = freezing.upto;
    this.#segment++;
    this.#freezing = null;
  }
}
