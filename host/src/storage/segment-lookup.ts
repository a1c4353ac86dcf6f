/** Looks into the segments of an index, newest first, those only whose sieves do not rule the id out. */
import type { DatabaseSync, StatementSync } from "node:sqlite";
import type { KeySieve, SievePlaces } from "./key-sieve.ts";
import { SegmentSieves } from "./segment-sieves.ts";

export interface SegmentTables {
  readonly segments: string;
  readonly entries: string;
  /** Columns of `entries` beside `segment`. */
  readonly id: string;
  readonly row: string;
}

export class SegmentLookup {
  readonly #placesOf: (id: string) => SievePlaces;
  readonly #sieves: SegmentSieves;
  readonly #latest: StatementSync;
  readonly #rows: StatementSync;

  constructor(db: DatabaseSync, { segments, entries, id, row }: SegmentTables, placesOf: (id: string) => SievePlaces) {
    this.#placesOf = placesOf;
    this.#sieves = new SegmentSieves(db, segments);
    this.#latest = db.prepare(`SELECT max(${row}) AS row FROM ${entries} WHERE segment = ? AND ${id} = ?`);
    this.#rows = db.prepare(`SELECT ${row} AS row FROM ${entries} WHERE segment = ? AND ${id} = ? ORDER BY ${row}`);
  }

  /** A segment that was just finished. */
  add(id: number, sieve: KeySieve): void {
    this.#sieves.add(id, sieve);
  }

  /** The last row with this id, or null. */
  latest(id: string): number | null {
    for (const segment of this.#sieves.mayHold(this.#placesOf(id))) {
      const row = this.#latest.get(segment, id)?.["row"];
      if (row !== null && row !== undefined) return Number(row);
    }
    return null;
  }

  /** All rows with this id. */
  *rows(id: string): Iterable<number> {
    for (const segment of this.#sieves.mayHold(this.#placesOf(id))) {
      for (const row of this.#rows.all(segment, id)) yield Number(row["row"]);
    }
  }
}
