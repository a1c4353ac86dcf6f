/**
 * The last lines a process wrote for people. Bounded whatever comes: at most 200 lines, each cut at 8 KiB, and of one chunk
 * never more lines are decoded than can be kept, so that a flood costs little.
 */
import type { Redaction } from "./redaction.ts";

const MAX_LINES = 200;
const MAX_LINE_BYTES = 8 * 1024;
const MAX_CHARACTER_BYTES = 4;
const NEWLINE = 10;

export class OutputTail {
  readonly #lines: string[] = [];
  readonly #redaction: Redaction;
  /** The unfinished last line, cut. */
  #rest: Buffer = Buffer.alloc(0);
  /** How many of the lines came since `begin`. */
  #fresh = 0;

  constructor(redaction: Redaction) {
    this.#redaction = redaction;
  }

  /** A new process writes from here on. */
  begin(): void {
    this.#rest = Buffer.alloc(0);
    this.#fresh = 0;
  }

  push(chunk: Buffer): void {
    const first = chunk.indexOf(NEWLINE);
    if (first === -1) {
      this.#rest = join(this.#rest, chunk);
      return;
    }
    const starts: number[] = [];
    let end = chunk.lastIndexOf(NEWLINE);
    this.#add(join(this.#rest, chunk.subarray(0, first)));
    while (end > first && starts.length < MAX_LINES) {
      const before = chunk.lastIndexOf(NEWLINE, end - 1);
      starts.push(before + 1);
      end = before;
    }
    for (const start of starts.toReversed()) this.#add(chunk.subarray(start, chunk.indexOf(NEWLINE, start)));
    this.#rest = join(Buffer.alloc(0), chunk.subarray(chunk.lastIndexOf(NEWLINE) + 1));
  }

  /** A whole line from elsewhere: output on stdout that is no message. */
  note(line: string): void {
    this.#add(Buffer.from(line.slice(0, MAX_LINE_BYTES)));
  }

  /** Oldest first, secrets taken out. */
  lines(): readonly string[] {
    const rest = this.#rest.length === 0 ? [] : [decode(this.#rest)];
    return [...this.#lines, ...rest].slice(-MAX_LINES).map((line) => this.#clean(line));
  }

  /** The end of a line that was cut may be the beginning of a secret, which nothing would know for one. */
  #clean(line: string): string {
    const clean = this.#redaction.clean(line);
    const isCut = line.length > MAX_LINE_BYTES / 4 && Buffer.byteLength(line) >= MAX_LINE_BYTES - MAX_CHARACTER_BYTES;
    return isCut ? clean.slice(0, Math.max(0, clean.length - this.#redaction.longest)) : clean;
  }

  /** The last line of the present process that says something. */
  lastLine(): string | null {
    const count = this.#fresh + (this.#rest.length === 0 ? 0 : 1);
    if (count === 0) return null;
    return (
      this.lines()
        .slice(-count)
        .findLast((line) => line.trim() !== "")
        ?.trim() ?? null
    );
  }

  #add(line: Buffer): void {
    this.#lines.push(decode(line));
    this.#fresh++;
    if (this.#lines.length > MAX_LINES) this.#lines.shift();
  }
}

/** A copy, so that the pipe's own buffer is not held. */
const join = (head: Buffer, tail: Buffer): Buffer =>
  Buffer.concat([head, tail.subarray(0, Math.max(0, MAX_LINE_BYTES - head.length))]);

const decode = (line: Buffer): string =>
  line.toString("utf8", 0, Math.min(line.length, MAX_LINE_BYTES)).replace(/\r$/, "");
