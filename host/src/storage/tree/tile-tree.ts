/**
 * The tree of the log as its one writer keeps it: the unfinished tile of each level in memory, full ones in the file. An
 * event costs a leaf and, on average, a node hash; opening reads less than a tile a level, however long the log is. A log
 * of an earlier format gets its missing tiles when it is opened, a slice a transaction.
 */
import type { DatabaseSync, StatementSync } from "node:sqlite";
import { readLeaves } from "./read-leaves.ts";
import { rootOf } from "./subtree.ts";
import { TILE_HASHES, TILE_HEIGHT, tileId, tilesUpTo } from "./tile.ts";
import { HASH_BYTES, perfectRoot } from "./tree-hash.ts";

interface Level {
  /** Index of the unfinished tile. */
  tile: number;
  /** Hashes in it, fewer than `TILE_HASHES`. */
  count: number;
  readonly hashes: Buffer;
}

const SLICE_TILES = 256;

export class TileTree {
  readonly #levels: Level[] = [];
  readonly #insert: StatementSync;
  #size = 0;

  constructor(db: DatabaseSync) {
    this.#insert = db.prepare("INSERT INTO tile (id, root, hashes) VALUES (?, ?, ?)");
    this.#readLevels(db);
    this.#readEnd(db);
  }

  get size(): number {
    return this.#size;
  }

  /** A leaf in hex. Belongs into the transaction of the event. */
  add(leaf: string): void {
    this.#size++;
    this.#push(0, leaf);
  }

  root(): Buffer {
    return rootOf((height, index) => this.#subtree(height, index), this.#size);
  }

  #push(number: number, hash: string): void {
    const level = (this.#levels[number] ??= newLevel(0));
    level.hashes.write(hash, level.count * HASH_BYTES, "hex");
    level.count++;
    if (level.count < TILE_HASHES) return;
    const root = perfectRoot(level.hashes);
    this.#insert.run(tileId(number, level.tile), root, level.hashes);
    level.tile++;
    level.count = 0;
    this.#push(number + 1, root.toString("hex"));
  }

  /** Only asked for what the unfinished tiles hold: every full tile is one hash of the level above it. */
  #subtree(height: number, index: number): Buffer {
    const level = this.#levels[Math.floor(height / TILE_HEIGHT)] ?? newLevel(0);
    const count = 2 ** (height % TILE_HEIGHT);
    const start = (index * count - level.tile * TILE_HASHES) * HASH_BYTES;
    return perfectRoot(level.hashes.subarray(start, start + count * HASH_BYTES));
  }

  #readLevels(db: DatabaseSync): void {
    const last = db.prepare("SELECT max(id) AS id FROM tile WHERE id >= ? AND id < ?");
    const roots = db.prepare("SELECT root FROM tile WHERE id >= ? AND id < ? ORDER BY id");
    for (let number = 0; ; number++) {
      const highest = last.get(tileId(number, 0), tileId(number + 1, 0))?.["id"];
      const level = newLevel(tilesUpTo(number, highest === null || highest === undefined ? null : Number(highest)));
      if (number > 0) {
        const below = tileId(number - 1, level.tile * TILE_HASHES);
        for (const row of roots.iterate(below, tileId(number, 0))) {
          Buffer.from(row["root"] as Uint8Array).copy(level.hashes, level.count++ * HASH_BYTES);
        }
      }
      if (number > 0 && level.tile === 0 && level.count === 0) return;
      this.#levels.push(level);
    }
  }

  #readEnd(db: DatabaseSync): void {
    this.#size = (this.#levels[0]?.tile ?? 0) * TILE_HASHES;
    const slice = SLICE_TILES * TILE_HASHES;
    for (;;) {
      const from = this.#size;
      db.exec("BEGIN IMMEDIATE");
      for (const leaf of readLeaves(db, from)) {
        this.add(leaf.toString("hex"));
        if (this.#size === from + slice) break;
      }
      db.exec("COMMIT");
      if (this.#size < from + slice) return;
    }
  }
}

const newLevel = (tile: number): Level => ({ tile, count: 0, hashes: Buffer.alloc(TILE_HASHES * HASH_BYTES) });
