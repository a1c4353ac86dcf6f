/**
 * Looks into the segments of an index, newest first. A sieve is kept with each segment and tells most of the ids that are not
 * in it, so that looking for an id costs hardly more when there are many segments. Sieves are taken from the file a few at a
 * time while others look; a segment whose sieve is not here yet, or has no place in memory, costs a seek.
 */
import type { DatabaseSync, StatementSync } from "node:sqlite";
import { KeySieve, type SievePlaces } from "./key-sieve.ts";

export interface SegmentTables {
  readonly segments: string;
  readonly entries: string;
  /** Columns of `entries` beside `segment`. */
  readonly id: string;
  readonly row: string;
}

/** 64 KiB each. */
const MAX_SIEVES = 1024;
const LOAD_AT_ONCE = 8;

interface Segment {
  readonly id: number;
  /** Undefined: not looked for yet. Null: there is none. */
  sieve: KeySieve | null | undefined;
}

export class SegmentLookup {
  readonly #placesOf: (id: string) => SievePlaces;
  readonly #newer: StatementSync;
  readonly #oldest: StatementSync;
  readonly #sieve: StatementSync;
  readonly #latest: StatementSync;
  readonly #rows: StatementSync;
  /** Rising. */
  #segments: Segment[] = [];
  #kept = 0;
  /** How many of the newest need not be looked at for a sieve any more. */
  #settled = 0;

  constructor(db: DatabaseSync, { segments, entries, id, row }: SegmentTables, placesOf: (id: string) => SievePlaces) {
    this.#placesOf = placesOf;
    this.#newer = db.prepare(`SELECT id FROM ${segments} WHERE id > ? ORDER BY id`);
    this.#oldest = db.prepare(`SELECT min(id) AS id FROM ${segments}`);
    this.#sieve = db.prepare(`SELECT sieve FROM ${segments} WHERE id = ?`);
    this.#latest = db.prepare(`SELECT max(${row}) AS row FROM ${entries} WHERE segment = ? AND ${id} = ?`);
    this.#rows = db.prepare(`SELECT ${row} AS row FROM ${entries} WHERE segment = ? AND ${id} = ? ORDER BY ${row}`);
    this.refresh();
  }

  /** Takes in what was finished since, and forgets what is gone. */
  refresh(): void {
    const oldest = this.#oldest.get()?.["id"];
    const gone = this.#segments.findIndex(({ id }) => id >= Number(oldest ?? Infinity));
    this.#forget(gone === -1 ? this.#segments.length : gone);
    for (const row of this.#newer.iterate(this.#segments.at(-1)?.id ?? 0)) {
      this.#segments.push({ id: Number(row["id"]), sieve: undefined });
    }
    this.#settled = 0;
  }

  /** A segment that was just finished. */
  add(id: number, sieve: KeySieve): void {
    const isKept = this.#kept < MAX_SIEVES;
    if (isKept) this.#kept++;
    this.#segments.push({ id, sieve: isKept ? sieve : null });
    this.#settled++;
  }

  /** The last row with this id, or null. */
  latest(id: string): number | null {
    for (const segment of this.#mayHold(id)) {
      const row = this.#latest.get(segment, id)?.["row"];
      if (row !== null && row !== undefined) return Number(row);
    }
    return null;
  }

  /** All rows with this id. */
  *rows(id: string): Iterable<number> {
    for (const segment of this.#mayHold(id)) {
      for (const row of this.#rows.all(segment, id)) yield Number(row["row"]);
    }
  }

  *#mayHold(id: string): Generator<number> {
    this.#load();
    const places = this.#placesOf(id);
    for (let i = this.#segments.length - 1; i >= 0; i--) {
      const segment = this.#segments[i];
      if (segment !== undefined && segment.sieve?.mayHave(places) !== false) yield segment.id;
    }
  }

  /** The newest first: they are what is looked for most. */
  #load(): void {
    let loads = LOAD_AT_ONCE;
    while (loads > 0 && this.#settled < this.#segments.length) {
      const segment = this.#segments[this.#segments.length - 1 - this.#settled++];
      if (segment === undefined || segment.sieve !== undefined) continue;
      const bytes = this.#kept < MAX_SIEVES ? this.#sieve.get(segment.id)?.["sieve"] : null;
      segment.sieve = bytes instanceof Uint8Array ? new KeySieve(bytes) : null;
      if (segment.sieve !== null) this.#kept++;
      loads--;
    }
  }

  #forget(count: number): void {
    for (const { sieve } of this.#segments.splice(0, count)) if (sieve) this.#kept--;
  }
}
