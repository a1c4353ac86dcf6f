/**
 * What a text that is being made has come to so far. A value that would take it past the limit is not written: a small context
 * may be named in so many ways that all of them together fill the memory.
 */
import { tooLargeAlready } from "./generation.ts";

export class TextTotal {
  readonly #maxBytes: number;
  #bytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** The text itself, counted. Throws `content_too_large`. */
  add(text: string): string {
    // No text has fewer bytes than characters.
    this.#check(text.length);
    this.#bytes += Buffer.byteLength(text);
    this.#check(0);
    return text;
  }

  /** A string as it is, all else as JSON, counted likewise. */
  addValue(value: unknown): string {
    if (typeof value === "string") return this.add(value);
    this.#check(leastJsonLength(value, this.#maxBytes - this.#bytes));
    return this.add(JSON.stringify(value));
  }

  #check(more: number): void {
    const size = this.#bytes + more;
    if (size > this.#maxBytes) throw tooLargeAlready(size, this.#maxBytes);
  }
}

const QUOTES = '""'.length;

/** Never more than its JSON has; counted until it is above `enough`, so that a large value costs no more than a small one. */
const leastJsonLength = (value: unknown, enough: number): number => {
  let length = 0;
  const waiting: unknown[] = [value];
  while (waiting.length > 0 && length <= enough) {
    const at = waiting.pop();
    if (typeof at === "string") length += at.length + QUOTES;
    else if (typeof at !== "object" || at === null) length += 1;
    else if (Array.isArray(at)) length += pushAll(at, waiting, enough);
    else length += pushMembers(at, waiting, enough);
  }
  return length;
};

/** Brackets, and a comma for each but the first; its items are counted when they come. */
const pushAll = (items: readonly unknown[], waiting: unknown[], enough: number): number => {
  if (items.length <= enough) for (const item of items) waiting.push(item);
  return items.length + 1;
};

const pushMembers = (of: object, waiting: unknown[], enough: number): number => {
  let length = 1;
  for (const key in of) {
    if (!Object.hasOwn(of, key)) continue;
    // Its quotes, its colon and its comma.
    length += key.length + QUOTES + 2;
    if (length > enough) return length;
    waiting.push((of as Readonly<Record<string, unknown>>)[key]);
  }
  return length;
};
