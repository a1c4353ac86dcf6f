/**
 * Which segments of an index may hold a key. A sieve is kept with each segment and tells most of the keys that are not in it,
 * so that looking for a key costs hardly more when there are many segments. Sieves are taken from the file a few at a time
 * while others look; a segment whose sieve is not here yet, or has no place in memory, may hold everything.
 */
import type { DatabaseSync, StatementSync } from "node:sqlite";
import { KeySieve, type SievePlaces } from "./key-sieve.ts";
import { SieveShelf } from "./sieve-shelf.ts";

/** 512 KiB each. */
const MAX_SHELVES = 128;
const LOAD_AT_ONCE = 4;
const NONE: readonly number[] = [];

interface Segment {
  readonly id: number;
  /** Undefined: its sieve was not looked for yet. Null: there is none, or no place for it. */
  shelf: SieveShelf | null | undefined;
}

export class SegmentSieves {
  readonly #newer: StatementSync;
  readonly #oldest: StatementSync;
  readonly #sieve: StatementSync;
  /** Rising. */
  #segments: Segment[] = [];
  #shelves: SieveShelf[] = [];
  /** Segments of which no sieve tells. */
  readonly #bare = new Set<number>();
  /** How many of the newest need not be looked at for a sieve any more. */
  #settled = 0;

  /** `segments`: the table. */
  constructor(db: DatabaseSync, segments: string) {
    this.#newer = db.prepare(`SELECT id FROM ${segments} WHERE id > ? ORDER BY id`);
    this.#oldest = db.prepare(`SELECT min(id) AS id FROM ${segments}`);
    this.#sieve = db.prepare(`SELECT sieve FROM ${segments} WHERE id = ?`);
    this.refresh();
  }

  /** Takes in what was finished since, and forgets what is gone. */
  refresh(): void {
    const oldest = this.#oldest.get()?.["id"];
    const gone = this.#segments.findIndex(({ id }) => id >= Number(oldest ?? Infinity));
    this.#forget(gone === -1 ? this.#segments.length : gone);
    for (const row of this.#newer.iterate(this.#segments.at(-1)?.id ?? 0)) {
      this.#segments.push({ id: Number(row["id"]), shelf: undefined });
      this.#bare.add(Number(row["id"]));
    }
    this.#settled = 0;
  }

  /** A segment that was just finished. */
  add(id: number, sieve: KeySieve): void {
    this.#segments.push({ id, shelf: this.#shelve(id, sieve) });
    this.#settled++;
  }

  /** Newest first; mostly none. */
  mayHold(places: SievePlaces): readonly number[] {
    if (this.#settled < this.#segments.length) this.#load();
    let found: number[] | null = null;
    for (let i = 0; i < this.#shelves.length; i++) {
      const held = this.#shelves[i]?.mayHold(places) ?? NONE;
      if (held.length > 0) (found ??= []).push(...held);
    }
    if (this.#bare.size > 0) (found ??= []).push(...this.#bare);
    return found === null ? NONE : found.toSorted((a, b) => b - a);
  }

  /** The newest first: they are what is looked for most. */
  #load(): void {
    let loads = LOAD_AT_ONCE;
    while (loads > 0 && this.#settled < this.#segments.length) {
      const segment = this.#segments[this.#segments.length - 1 - this.#settled++];
      if (segment === undefined || segment.shelf !== undefined) continue;
      const bytes = this.#sieve.get(segment.id)?.["sieve"];
      segment.shelf = bytes instanceof Uint8Array ? this.#shelve(segment.id, new KeySieve(bytes)) : null;
      loads--;
    }
  }

  /** Null: there is no place for it. */
  #shelve(id: number, sieve: KeySieve): SieveShelf | null {
    let shelf = this.#shelves[this.#shelves.length - 1];
    if (shelf === undefined || shelf.isFull) {
      if (this.#shelves.length === MAX_SHELVES) {
        this.#bare.add(id);
        return null;
      }
      shelf = new SieveShelf();
      this.#shelves.push(shelf);
    }
    shelf.put(id, sieve);
    this.#bare.delete(id);
    return shelf;
  }

  #forget(count: number): void {
    for (const { id, shelf } of this.#segments.splice(0, count)) {
      shelf?.remove(id);
      this.#bare.delete(id);
    }
    if (count > 0) this.#shelves = this.#shelves.filter((shelf) => !shelf.isEmpty);
  }
}
