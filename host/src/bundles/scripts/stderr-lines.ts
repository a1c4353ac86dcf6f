/**
 * What a script writes for people, line by line. Bounded whatever comes: a line is cut at 8,192 characters, and of one chunk
 * only the last 200 lines are decoded, so that a flood costs little.
 */
import type { Redaction } from "../redaction.ts";
import { CollectedOutput } from "./collected-output.ts";
import { ShownBeginning } from "./shown-beginning.ts";

const MAX_LINES = 200;
const MAX_LINE = 8 * 1024;
const NEWLINE = 10;

export class StderrLines {
  readonly #shown: ShownBeginning;
  readonly #onLine: (line: string) => void;
  /** The unfinished line, cut. */
  readonly #rest = new CollectedOutput();
  #last: string | null = null;

  constructor(redaction: Redaction, onLine: (line: string) => void) {
    this.#shown = new ShownBeginning(redaction, MAX_LINE);
    this.#onLine = onLine;
  }

  /** The last line that says something, redacted; null: there was none. */
  get last(): string | null {
    return this.#last;
  }

  push(chunk: Buffer): void {
    const ends = lineEnds(chunk);
    const skipped = Math.max(0, ends.length - MAX_LINES);
    let start = skipped === 0 ? 0 : (ends[skipped - 1] ?? 0) + 1;
    for (const end of ends.slice(skipped)) {
      if (start === 0) this.#addToRest(chunk.subarray(0, end));
      this.#tell(start === 0 ? this.#rest.bytes() : chunk.subarray(start, end));
      start = end + 1;
    }
    if (ends.length > 0) this.#rest.cut(0);
    this.#addToRest(chunk.subarray(start));
  }

  /** What was begun and not ended is a line too. */
  end(): void {
    if (this.#rest.size > 0) this.#tell(this.#rest.bytes());
    this.#rest.cut(0);
  }

  #tell(line: Buffer): void {
    const clean = this.#shown.show(line).replace(/\r$/, "");
    if (clean.trim() !== "") this.#last = clean.trim();
    this.#onLine(clean);
  }

  #addToRest(part: Buffer): void {
    const room = this.#shown.bytes - this.#rest.size;
    if (room > 0 && part.length > 0) this.#rest.push(part.subarray(0, room));
  }
}

const lineEnds = (chunk: Buffer): number[] => {
  const ends: number[] = [];
  for (let at = chunk.indexOf(NEWLINE); at !== -1; at = chunk.indexOf(NEWLINE, at + 1)) ends.push(at);
  return ends;
};
