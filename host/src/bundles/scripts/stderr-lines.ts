/**
 * What a script writes for people, line by line. Bounded whatever comes: a line is cut at 8 KiB, and of one chunk only the
 * last 200 lines are decoded, so that a flood costs little.
 */
import type { Redaction } from "../redaction.ts";

const MAX_LINES = 200;
const MAX_LINE_BYTES = 8 * 1024;
const NEWLINE = 10;

export class StderrLines {
  readonly #redaction: Redaction;
  readonly #onLine: (line: string) => void;
  /** The unfinished line, cut. */
  #rest: Buffer = Buffer.alloc(0);
  #last: string | null = null;

  constructor(redaction: Redaction, onLine: (line: string) => void) {
    this.#redaction = redaction;
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
      const line = chunk.subarray(start, end);
      this.#tell(start === 0 ? cut(this.#rest, line) : line);
      start = end + 1;
    }
    this.#rest = cut(ends.length === 0 ? this.#rest : Buffer.alloc(0), chunk.subarray(start));
  }

  /** What was begun and not ended is a line too. */
  end(): void {
    if (this.#rest.length > 0) this.#tell(this.#rest);
    this.#rest = Buffer.alloc(0);
  }

  #tell(line: Buffer): void {
    const text = line.toString("utf8", 0, Math.min(line.length, MAX_LINE_BYTES)).replace(/\r$/, "");
    const clean = this.#redaction.clean(text);
    if (clean.trim() !== "") this.#last = clean.trim();
    this.#onLine(clean);
  }
}

const lineEnds = (chunk: Buffer): number[] => {
  const ends: number[] = [];
  for (let at = chunk.indexOf(NEWLINE); at !== -1; at = chunk.indexOf(NEWLINE, at + 1)) ends.push(at);
  return ends;
};

/** A copy, so that the pipe's own buffer is not held. */
const cut = (head: Buffer, tail: Buffer): Buffer =>
  Buffer.concat([head, tail.subarray(0, Math.max(0, MAX_LINE_BYTES - head.length))]);
