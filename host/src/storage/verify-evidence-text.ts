/**
 * The canonical text (chp-stable-v1) of an object, member by member. A line that a host wrote is its own canonical text: then
 * one pass over its bytes shows that, and nothing is parsed or written anew. That pass may say no to a canonical text (then
 * whoever asks takes the long way), and never yes to another, nor to one that is no JSON.
 */
import { findJsonDefect } from "../kernel/scan-json.ts";
import { stable } from "../kernel/stable.ts";

export type Json = Readonly<Record<string, unknown>>;

export interface CanonicalObject {
  /** The canonical text of a member; undefined: there is no such member. */
  get(key: string): string | undefined;
  /** The canonical text of the object without these members, which are named in their order. */
  without(keys: readonly string[]): string;
}

const MAX_DEPTH = 200;
const MAX_MEMBERS = 64;
const MAX_DIGITS = 16;
const [QUOTE, COMMA, MINUS, ZERO, NINE, COLON, SPACE] = [34, 44, 45, 48, 57, 58, 32];
const [OPEN_ARRAY, BACKSLASH, CLOSE_ARRAY, LETTER_U, OPEN_OBJECT, CLOSE_OBJECT] = [91, 92, 93, 117, 123, 125];
const [TRUE, FALSE, NULL] = [Buffer.from("true"), Buffer.from("false"), Buffer.from("null")];
/** `\b \t \n \f \r`, which have an escape of their own. */
const HAS_SHORT: ReadonlySet<number> = new Set([8, 9, 10, 12, 13]);
/** `" \\ b f n r t` after a backslash. */
const SHORT: ReadonlySet<number> = new Set([34, 92, 98, 102, 110, 114, 116]);
/** 1 for each byte that stands for itself in a string. */
const PLAIN = Uint8Array.from({ length: 256 }, (_, c) => Number(c >= 32 && c <= 126 && c !== QUOTE && c !== BACKSLASH));

export const isObject = (value: unknown): value is Json =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** A foreign value in a sentence for people. */
export const show = (value: unknown): string =>
  typeof value === "object" && value !== null
    ? `a ${Array.isArray(value) ? "list" : "group of members"}`
    : stable(value).slice(0, 80);

/** True when the canonical text stands for this very value: no fractions, no large numbers, no lone surrogates. */
export const isCanonical = (value: unknown): boolean => {
  if (typeof value === "number") return Number.isSafeInteger(value);
  if (typeof value === "string") return value.isWellFormed();
  if (typeof value !== "object" || value === null) return true;
  if (Array.isArray(value)) return value.every(isCanonical);
  return Object.entries(value).every(([key, member]) => key.isWellFormed() && isCanonical(member));
};

/** What is wrong with a text that `JSON.parse` took; null: nothing that two readers could read differently. */
export const textDefect = (text: string): string | null => {
  const defect = findJsonDefect(text, { maxDepth: MAX_DEPTH, numbers: false });
  if (defect === null) return null;
  return defect.kind === "repeated" ? `repeats the member ${defect.pointer}` : "is nested too deeply";
};

/** Of a value that `JSON.parse` made; null: it has no canonical text. */
export const writeCanonical = (object: Json): CanonicalObject | null => {
  const keys = Object.keys(object).toSorted();
  if (!keys.every((key) => /^[!#-[\]-~]+$/.test(key)) || !isCanonical(object)) return null;
  const texts = new Map(keys.map((key) => [key, stable(object[key])]));
  return {
    get: (key) => texts.get(key),
    without: (left) =>
      `{${keys.flatMap((key) => (left.includes(key) ? [] : `"${key}": ${texts.get(key)}`)).join(", ")}}`,
  };
};

/** Reads one text after the other; what it says is of the last one. */
export class CanonicalReader implements CanonicalObject {
  #text = "";
  /** The text with a zero after it, at which everything here stops. */
  #bytes: Buffer = Buffer.alloc(1 << 12);
  #at = 0;
  #depth = 0;
  /** `"key": ` of each member of the last text. Those of the next are nearly always the same, and then known to be in order. */
  #keys: Buffer[] = [];
  /** Where in `#keys` each key stands. */
  #places = new Map<string, number>();
  readonly #starts = new Int32Array(MAX_MEMBERS);
  readonly #ends = new Int32Array(MAX_MEMBERS);

  /** False: the text is no object, or not known to be canonical. */
  read(text: string): boolean {
    const { length } = text;
    if (length >= this.#bytes.length) this.#bytes = Buffer.alloc(2 * length);
    this.#text = text;
    if (this.#bytes.write(text) !== length) return false;
    this.#bytes[length] = 0;
    this.#depth = 1;
    this.#at = 1;
    const isRead = this.#bytes[0] === OPEN_OBJECT && this.#members() && this.#at === length;
    if (!isRead) this.#keys = [];
    return isRead;
  }

  get(key: string): string | undefined {
    const place = this.#places.get(key);
    return place === undefined ? undefined : this.#text.slice(this.#starts[place], this.#ends[place]);
  }

  without(keys: readonly string[]): string {
    let rest = "";
    let from = 1;
    const keep = (to: number): void => {
      if (to > from) rest += `${rest === "" ? "" : ", "}${this.#text.slice(from, to)}`;
    };
    for (const key of keys) {
      const place = this.#places.get(key);
      if (place === undefined) continue;
      keep((this.#starts[place] ?? 0) - (this.#keys[place]?.length ?? 0) - 2);
      from = (this.#ends[place] ?? 0) + 2;
    }
    keep(this.#text.length - 1);
    return `{${rest}}`;
  }

  /** Those of the object itself, of which it is noted where they stand. */
  #members(): boolean {
    const keys = this.#keys;
    let isSame = true;
    let count = 0;
    let last = 0;
    for (; count < MAX_MEMBERS; count++) {
      const start = this.#at;
      if (!isSame || !this.#literal(keys[count])) {
        isSame = false;
        keys.length = count;
        if (!this.#key(last)) return false;
        keys.push(Buffer.from(this.#bytes.subarray(start, this.#at)));
      }
      last = start;
      this.#starts[count] = this.#at;
      if (!this.#value()) return false;
      this.#ends[count] = this.#at;
      if (!this.#comma()) break;
    }
    if (count === MAX_MEMBERS) return false;
    if (!isSame || keys.length !== count + 1) {
      keys.length = count + 1;
      this.#places = new Map(keys.map((key, place) => [key.toString("latin1", 1, key.length - 3), place]));
    }
    return this.#close(CLOSE_OBJECT);
  }

  #value(): boolean {
    const c = this.#bytes[this.#at] ?? 0;
    if (c === QUOTE) return this.#string();
    if (c === OPEN_OBJECT) return this.#object();
    if (c === OPEN_ARRAY) return this.#array();
    if (c === MINUS || (c >= ZERO && c <= NINE)) return this.#number();
    return this.#literal(NULL) || this.#literal(TRUE) || this.#literal(FALSE);
  }

  #object(): boolean {
    if (++this.#depth > MAX_DEPTH) return false;
    let last = 0;
    this.#at++;
    if (this.#bytes[this.#at] === CLOSE_OBJECT) return this.#close(CLOSE_OBJECT);
    do {
      const start = this.#at;
      if (!this.#key(last) || !this.#value()) return false;
      last = start;
    } while (this.#comma());
    return this.#close(CLOSE_OBJECT);
  }

  #array(): boolean {
    if (++this.#depth > MAX_DEPTH) return false;
    this.#at++;
    if (this.#bytes[this.#at] === CLOSE_ARRAY) return this.#close(CLOSE_ARRAY);
    do if (!this.#value()) return false;
    while (this.#comma());
    return this.#close(CLOSE_ARRAY);
  }

  #close(bracket: number): boolean {
    this.#depth--;
    return this.#bytes[this.#at++] === bracket;
  }

  #comma(): boolean {
    if (this.#bytes[this.#at] !== COMMA || this.#bytes[this.#at + 1] !== SPACE) return false;
    this.#at += 2;
    return true;
  }

  /** A key without escapes that comes after the last one, which stands at `last`; 0: it is the first. */
  #key(last: number): boolean {
    const bytes = this.#bytes;
    const start = this.#at;
    let end = start + 1;
    while (PLAIN[bytes[end] ?? 0] === 1) end++;
    if (bytes[start] !== QUOTE || end === start + 1 || bytes[end] !== QUOTE) return false;
    if (bytes[end + 1] !== COLON || bytes[end + 2] !== SPACE) return false;
    this.#at = end + 3;
    if (last === 0) return true;
    let i = 1;
    while (bytes[last + i] === bytes[start + i] && bytes[last + i] !== QUOTE) i++;
    const [a = 0, b = 0] = [bytes[last + i], bytes[start + i]];
    return b !== QUOTE && (a === QUOTE || a < b);
  }

  #literal(text: Buffer | undefined): boolean {
    if (text === undefined) return false;
    const bytes = this.#bytes;
    const at = this.#at;
    for (let i = 0; i < text.length; i++) if (bytes[at + i] !== text[i]) return false;
    this.#at = at + text.length;
    return true;
  }

  #string(): boolean {
    const bytes = this.#bytes;
    let at = this.#at + 1;
    for (;;) {
      while (PLAIN[bytes[at] ?? 0] === 1) at++;
      if (bytes[at] === QUOTE) break;
      const length = bytes[at] === BACKSLASH ? this.#escape(at + 1) : 0;
      if (length === 0) return false;
      at += length + 1;
    }
    this.#at = at + 1;
    return true;
  }

  /** How long the escape is after its backslash; 0: none that the canonical form has. */
  #escape(at: number): number {
    if (SHORT.has(this.#bytes[at] ?? 0)) return 1;
    const unit = this.#unit(at);
    if (unit === null || (unit >= 32 && unit <= 126) || HAS_SHORT.has(unit)) return 0;
    if (unit < 0xd800 || unit > 0xdfff) return 5;
    const low = unit <= 0xdbff && this.#bytes[at + 5] === BACKSLASH ? this.#unit(at + 6) : null;
    return low !== null && low >= 0xdc00 && low <= 0xdfff ? 11 : 0;
  }

  #unit(at: number): number | null {
    if (this.#bytes[at] !== LETTER_U) return null;
    const digits = this.#bytes.toString("latin1", at + 1, at + 5);
    return /^[0-9a-f]{4}$/.test(digits) ? Number.parseInt(digits, 16) : null;
  }

  #number(): boolean {
    const bytes = this.#bytes;
    const start = this.#at;
    const first = bytes[start] === MINUS ? start + 1 : start;
    let at = first;
    let value = 0;
    for (let c = bytes[at] ?? 0; c >= ZERO && c <= NINE; c = bytes[at] ?? 0) {
      value = 10 * value + c - ZERO;
      at++;
    }
    this.#at = at;
    if (at === first || at - first > MAX_DIGITS || (bytes[first] === ZERO && at - start > 1)) return false;
    return Number.isSafeInteger(value);
  }
}
