/**
 * Newline framing over the chunks of a pipe. A line above the limit is skipped to its end; of it only a head and a tail
 * are kept, enough to find the id that it answers. It reads no JSON.
 */
import { isUtf8 } from "node:buffer";

/** Stands for bytes that are none of UTF-8. Not written out: one such character doubles what the whole program's text takes. */
const REPLACEMENT = String.fromCodePoint(0xfffd);

export interface LineHandler {
  line(text: string): void;
  /** Absent: empty lines say nothing. */
  blank?(): void;
  /** A line that is not UTF-8, with its bytes replaced where they are none. */
  broken(text: string): void;
  tooLarge(head: string, tail: string): void;
}

const NEWLINE = 10;
const RETURN = 13;
const KEPT = 1024;

export class LineCodec {
  readonly #maxBytes: number;
  readonly #handler: LineHandler;
  #parts: Buffer[] = [];
  #size = 0;
  #head = "";
  #tail: Buffer = Buffer.alloc(0);
  #skipping = false;

  constructor(maxBytes: number, handler: LineHandler) {
    this.#maxBytes = maxBytes;
    this.#handler = handler;
  }

  push(chunk: Buffer): void {
    let start = 0;
    for (;;) {
      const end = chunk.indexOf(NEWLINE, start);
      if (end === -1) break;
      if (this.#skipping) this.#endSkip(chunk.subarray(start, end));
      else if (this.#size === 0) this.#emit(chunk, start, end);
      else this.#emitJoined(chunk.subarray(start, end));
      start = end + 1;
    }
    if (start < chunk.length) this.#keep(start === 0 ? chunk : chunk.subarray(start));
  }

  #emitJoined(last: Buffer): void {
    this.#parts.push(last);
    const whole = Buffer.concat(this.#parts, this.#size + last.length);
    this.#parts = [];
    this.#size = 0;
    this.#emit(whole, 0, whole.length);
  }

  #emit(bytes: Buffer, start: number, lineEnd: number): void {
    const end = lineEnd > start && bytes[lineEnd - 1] === RETURN ? lineEnd - 1 : lineEnd;
    if (end === start) return this.#handler.blank?.();
    if (end - start > this.#maxBytes) {
      const line = bytes.subarray(start, end);
      this.#handler.tooLarge(line.toString("latin1", 0, KEPT), line.toString("latin1", line.length - KEPT));
      return;
    }
    const text = bytes.toString("utf8", start, end);
    // Decoding puts U+FFFD where the bytes are not UTF-8, but the character may also have been sent.
    if (text.includes(REPLACEMENT) && !isUtf8(bytes.subarray(start, end))) this.#handler.broken(text);
    else this.#handler.line(text);
  }

  #keep(rest: Buffer): void {
    if (this.#skipping) {
      this.#tail = tailOf(this.#tail, rest);
      return;
    }
    this.#parts.push(rest);
    this.#size += rest.length;
    if (this.#size <= this.#maxBytes) return;
    const whole = Buffer.concat(this.#parts, this.#size);
    this.#head = whole.toString("latin1", 0, KEPT);
    this.#tail = tailOf(whole, Buffer.alloc(0));
    this.#parts = [];
    this.#size = 0;
    this.#skipping = true;
  }

  #endSkip(last: Buffer): void {
    const tail = tailOf(this.#tail, last).toString("latin1");
    this.#skipping = false;
    this.#tail = Buffer.alloc(0);
    this.#handler.tooLarge(this.#head, tail);
  }
}

/** Copied, so that no chunk stays in memory for its last bytes. */
const tailOf = (before: Buffer, next: Buffer): Buffer =>
  next.length >= KEPT
    ? Buffer.from(next.subarray(next.length - KEPT))
    : Buffer.concat([before.subarray(Math.max(0, before.length + next.length - KEPT)), next]);
