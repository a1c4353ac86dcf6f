/**
 * Events of one long stream that carries the answers of all calls. One that is too large is skipped to its end, and the
 * stream lives on; of it only a head and a tail are kept, enough to find the call that it answers.
 */
import { LineCodec } from "../../kernel/line-codec.ts";

export interface SseHandler {
  event(type: string, data: string): void;
  /** An event without use; `head` and `tail` are what is kept of its data. */
  broken(reason: "message_too_large" | "not_utf8", head: string, tail: string): void;
}

const KEPT = 1024;

export class SseEvents {
  readonly #handler: SseHandler;
  readonly #maxBytes: number;
  readonly #codec: LineCodec;
  #type = "message";
  #data: string | null = null;
  #skipping = false;

  constructor(maxBytes: number, handler: SseHandler) {
    this.#handler = handler;
    this.#maxBytes = maxBytes;
    this.#codec = new LineCodec(maxBytes, {
      line: (text) => this.#line(text),
      blank: () => this.#dispatch(),
      broken: (text) => this.#skip("not_utf8", withoutField(text), text.slice(-KEPT)),
      tooLarge: (head, tail) => this.#skip("message_too_large", withoutField(head), tail),
    });
  }

  push(chunk: Buffer): void {
    this.#codec.push(chunk);
  }

  /** Ids and retry times are of no use here: such a stream cannot be resumed. */
  #line(text: string): void {
    if (text.startsWith("data:")) this.#add(valueOf(text, 5));
    else if (text.startsWith("event:")) this.#type = valueOf(text, 6);
  }

  /** A line break between tokens would end the message on a pipe or in a stream further on: it becomes a blank. */
  #add(value: string): void {
    if (this.#skipping) return;
    const text = value.includes("\r") ? value.replaceAll("\r", " ") : value;
    this.#data = this.#data === null ? text : `${this.#data} ${text}`;
    const data = this.#data;
    if (data.length > this.#maxBytes) this.#skip("message_too_large", data.slice(0, KEPT), data.slice(-KEPT));
  }

  #skip(reason: "message_too_large" | "not_utf8", head: string, tail: string): void {
    if (!this.#skipping) this.#handler.broken(reason, head, tail);
    this.#skipping = true;
    this.#data = null;
  }

  #dispatch(): void {
    const type = this.#type;
    const data = this.#data;
    this.#type = "message";
    this.#data = null;
    this.#skipping = false;
    if (data !== null && data !== "") this.#handler.event(type, data);
  }
}

/** One blank after the colon belongs to the format. */
const valueOf = (line: string, from: number): string => line.slice(line[from] === " " ? from + 1 : from);

const withoutField = (line: string): string => (line.startsWith("data:") ? valueOf(line, 5) : line).slice(0, KEPT);
