/**
 * Tiles: 256 hashes of one level in a row of the file, with their root. The hashes of level 0 are leaves, those of each
 * further level the roots of the tiles below it. Only full tiles are stored, once, and never change.
 */
export const TILE_HASHES = 256;
export const TILE_HEIGHT = 8;
const LEVEL_STEP = 2 ** 40;

export const tileId = (level: number, index: number): number => level * LEVEL_STEP + index;

/** How many tiles a level has, from the highest id in `[tileId(level, 0), tileId(level + 1, 0))`; null: none. */
export const tilesUpTo = (level: number, highestId: number | null): number =>
  highestId === null ? 0 : highestId - tileId(level, 0) + 1;
