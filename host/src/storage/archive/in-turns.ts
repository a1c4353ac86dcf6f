/** Long work on the main thread, cut up so that it stops nobody: after so much of it everybody else has a turn. */
import { setImmediate as nextTurn } from "node:timers/promises";

const PIECE_CHARS = 65_536;
const PIECE_PARTS = 500;
const TURN_MS = 2;

/** Text in larger pieces. Empty parts are work that made none. */
export async function* inTurns(parts: Iterable<string>): AsyncIterable<string> {
  let piece = "";
  let count = 0;
  for (const part of parts) {
    piece += part;
    count++;
    if (piece.length < PIECE_CHARS && count < PIECE_PARTS) continue;
    if (piece !== "") yield piece;
    piece = "";
    count = 0;
    await nextTurn();
  }
  if (piece !== "") yield piece;
}

/** Does something with each; ends at the first that answers false, and answers whether none did. */
export const eachInTurns = async <T>(items: Iterable<T>, use: (item: T) => boolean): Promise<boolean> => {
  let until = performance.now() + TURN_MS;
  for (const item of items) {
    if (!use(item)) return false;
    if (performance.now() < until) continue;
    await nextTurn();
    until = performance.now() + TURN_MS;
  }
  return true;
};
