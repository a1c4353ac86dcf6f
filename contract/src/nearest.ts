/** The candidate closest to a word, for "did you mean". The earlier of two equally close ones. */
import { editDistance } from "./edit-distance.ts";

/** A longer word is no typing error, and comparing it would cost its square. */
const LONGEST_WORD = 256;

export const nearest = (word: string, candidates: Iterable<string>, maxDistance: number): string | null => {
  if (word.length > LONGEST_WORD) return null;
  let best: string | null = null;
  let bestDistance = maxDistance + 1;
  for (const candidate of candidates) {
    if (Math.abs(candidate.length - word.length) >= bestDistance) continue;
    const distance = editDistance(word, candidate);
    if (distance >= bestDistance) continue;
    best = candidate;
    bestDistance = distance;
  }
  return best;
};
