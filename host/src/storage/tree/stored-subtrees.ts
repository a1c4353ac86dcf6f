/** Perfect subtrees of the log's tree out of the file: from tiles, and where a tile is not full yet, from what is below it. */
import type { DatabaseSync } from "node:sqlite";
import { readLeaves } from "./read-leaves.ts";
import type { SubtreeAt } from "./subtree.ts";
import { TILE_HASHES, TILE_HEIGHT, tileId } from "./tile.ts";
import { HASH_BYTES, perfectRoot } from "./tree-hash.ts";

/** Keeps the tiles it has read: for one answer, not for long. */
export const subtreesOf = (db: DatabaseSync): SubtreeAt => {
  const full = db.prepare("SELECT hashes FROM tile WHERE id = ?");
  const roots = db.prepare("SELECT root FROM tile WHERE id >= ? AND id < ? ORDER BY id");
  const tiles = new Map<number, Buffer>();

  /** Of a tile that is not full yet, as many as there are. */
  const read = (level: number, tile: number): Buffer => {
    const stored = full.get(tileId(level, tile))?.["hashes"];
    if (stored !== undefined) return Buffer.from(stored as Uint8Array);
    if (level === 0) return Buffer.concat([...readLeaves(db, tile * TILE_HASHES)]);
    const below = tileId(level - 1, tile * TILE_HASHES);
    const rows = roots.all(below, Math.min(below + TILE_HASHES, tileId(level, 0)));
    return Buffer.concat(rows.map((row) => row["root"] as Uint8Array));
  };

  return (height, index) => {
    const level = Math.floor(height / TILE_HEIGHT);
    const count = 2 ** (height % TILE_HEIGHT);
    const tile = Math.floor((index * count) / TILE_HASHES);
    const hashes = tiles.get(tileId(level, tile)) ?? read(level, tile);
    tiles.set(tileId(level, tile), hashes);
    const start = (index * count - tile * TILE_HASHES) * HASH_BYTES;
    return perfectRoot(hashes.subarray(start, start + count * HASH_BYTES));
  };
};
