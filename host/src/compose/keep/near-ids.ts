/** Ids that somebody may have meant, the closest first. */
import { nearest } from "@bailiwick/contract";

const MOST = 3;
const MAX_DISTANCE = 3;

export const nearIds = (id: string, candidates: readonly string[]): readonly string[] => {
  const left = new Set(candidates);
  const found: string[] = [];
  while (found.length < MOST) {
    const near = nearest(id, left, Math.min(MAX_DISTANCE, Math.floor(id.length / 2)));
    if (near === null) break;
    left.delete(near);
    found.push(near);
  }
  return found;
};
