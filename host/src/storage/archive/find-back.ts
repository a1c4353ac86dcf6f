/**
 * Looks for one event from the newest on, without stopping anybody: text by text, a turn for everybody else after so much of
 * it, and not without end.
 */
import { setImmediate as nextTurn } from "node:timers/promises";
import type { EvidenceReader } from "../read-evidence.ts";
import type { Json } from "./archive-parts.ts";

/** Events that one request looks at. */
export const MAX_LOOKED_AT = 200_000;
const TURN_CHARS = 1 << 18;
const TURN_BATCHES = 64;

export interface Wanted {
  /** A text that its line holds. Payloads of others may hold the same. */
  readonly needle: string;
  readonly isIt: (event: Json) => boolean;
  /** Only older ones than this sequence. */
  readonly before: number;
}

export interface FoundBack {
  readonly line: string | null;
  /** The first sequence that was looked at; 1 and no line: there is none. */
  readonly from: number;
}

export const findBack = async (
  reader: Pick<EvidenceReader, "batchesBack">,
  { needle, isIt, before }: Wanted,
): Promise<FoundBack> => {
  let [looked, chars, batches] = [0, 0, 0];
  for (const { first, count, text } of reader.batchesBack(before)) {
    if (text.includes(needle)) {
      const lines = text.split("\n").slice(0, before - first);
      const line = lines.findLast((each) => each.includes(needle) && isIt(JSON.parse(each) as Json));
      if (line !== undefined) return { line, from: first };
    }
    looked += count;
    if (looked >= MAX_LOOKED_AT) return { line: null, from: first };
    chars += text.length;
    batches++;
    if (chars < TURN_CHARS && batches < TURN_BATCHES) continue;
    [chars, batches] = [0, 0];
    await nextTurn();
  }
  return { line: null, from: 1 };
};
