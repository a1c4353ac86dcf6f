/**
 * Reads a text that is its own canonical form in one pass, without parsing it and without writing it anew: that costs a
 * fraction, and what this host wrote always is. It may say no to a canonical text (then whoever asks takes the long way), and
 * never yes to another, nor to one that is no JSON.
 */
const QUOTE = 34;
const BACKSLASH = 92;
const MAX_DEPTH = 200;
/** ASCII without escapes and control characters. */
const SIMPLE = /^[ -[\]-~]*$/;
const MAX_DIGITS = 16;
/** `\b \t \n \f \r`, which have an escape of their own. */
const HAS_SHORT: ReadonlySet<number> = new Set([8, 9, 10, 12, 13]);
/** `" \\ b f n r t` after a backslash. */
const SHORT: ReadonlySet<number> = new Set([34, 92, 98, 102, 110, 114, 116]);

export interface CanonicalText {
  /** Each member of the object with its key, in order. */
  readonly members: ReadonlyMap<string, string>;
  /** The members but those that were to be left out, as they stand there. */
  readonly rest: string;
}

class CanonicalScan {
  readonly #text: string;
  readonly #without: ReadonlySet<string>;
  /** Then a string ends at the next quote. */
  readonly #isSimple: boolean;
  #at = 0;
  #depth = 0;
  #rest = "";
  /** Where the part begins that is not yet in it. */
  #restFrom = 1;

  constructor(text: string, without: ReadonlySet<string>) {
    this.#text = text;
    this.#without = without;
    this.#isSimple = SIMPLE.test(text);
  }

  read(): CanonicalText | null {
    const members = new Map<string, string>();
    const { length } = this.#text;
    if (this.#text.charCodeAt(0) !== 123 || !this.#object(members) || this.#at !== length) return null;
    this.#extendRest(length - 1);
    return { members, rest: this.#rest };
  }

  #extendRest(end: number): void {
    if (end <= this.#restFrom) return;
    const part = this.#text.slice(this.#restFrom, end);
    this.#rest = this.#rest === "" ? part : `${this.#rest}, ${part}`;
  }

  #leaveOut(start: number): void {
    this.#extendRest(start - 2);
    this.#restFrom = this.#at + 2;
  }

  /** The key at this place, if it comes after the last one. */
  #key(last: string): string | null {
    const text = this.#text;
    const start = this.#at;
    if (text.charCodeAt(start) !== QUOTE || !this.#string()) return null;
    const key = text.slice(start + 1, this.#at - 1);
    // Without escapes the order of the text is the order of the keys; equal ones stand there twice.
    if (key <= last || (!this.#isSimple && key.includes("\\"))) return null;
    if (text.charCodeAt(this.#at) !== 58 || text.charCodeAt(this.#at + 1) !== 32) return null;
    this.#at += 2;
    return key;
  }

  #value(): boolean {
    const c = this.#text.charCodeAt(this.#at);
    if (c === QUOTE) return this.#string();
    if (c === 123) return this.#object(null);
    if (c === 91) return this.#array();
    if (c === 45 || (c >= 48 && c <= 57)) return this.#number();
    return this.#word(c === 110 ? "null" : c === 102 ? "false" : "true");
  }

  #word(word: string): boolean {
    for (let i = 0; i < word.length; i++) {
      if (this.#text.charCodeAt(this.#at + i) !== word.charCodeAt(i)) return false;
    }
    this.#at += word.length;
    return true;
  }

  #object(members: Map<string, string> | null): boolean {
    const text = this.#text;
    if (++this.#depth > MAX_DEPTH) return false;
    let last = "";
    this.#at++;
    if (text.charCodeAt(this.#at) !== 125) {
      for (;;) {
        const start = this.#at;
        const key = this.#key(last);
        if (key === null || !this.#value()) return false;
        last = key;
        if (members !== null) {
          members.set(key, text.slice(start, this.#at));
          if (this.#without.has(key)) this.#leaveOut(start);
        }
        if (text.charCodeAt(this.#at) === 125) break;
        if (!this.#comma()) return false;
      }
    }
    this.#at++;
    this.#depth--;
    return true;
  }

  #array(): boolean {
    if (++this.#depth > MAX_DEPTH) return false;
    this.#at++;
    if (this.#text.charCodeAt(this.#at) !== 93) {
      for (;;) {
        if (!this.#value()) return false;
        if (this.#text.charCodeAt(this.#at) === 93) break;
        if (!this.#comma()) return false;
      }
    }
    this.#at++;
    this.#depth--;
    return true;
  }

  #comma(): boolean {
    const good = this.#text.charCodeAt(this.#at) === 44 && this.#text.charCodeAt(this.#at + 1) === 32;
    this.#at += 2;
    return good;
  }

  #string(): boolean {
    const text = this.#text;
    if (this.#isSimple) {
      const end = text.indexOf('"', this.#at + 1);
      this.#at = end + 1;
      return end !== -1;
    }
    let at = this.#at + 1;
    for (;;) {
      const c = text.charCodeAt(at);
      if (c === QUOTE) break;
      if (c === BACKSLASH) {
        const length = this.#escape(at + 1);
        if (length === 0) return false;
        at += length + 1;
      } else if (c >= 32 && c <= 126) at++;
      else return false;
    }
    this.#at = at + 1;
    return true;
  }

  /** How long the escape is after its backslash; 0: none that the canonical form has. */
  #escape(at: number): number {
    if (SHORT.has(this.#text.charCodeAt(at))) return 1;
    const unit = this.#unit(at);
    if (unit === null || (unit >= 32 && unit <= 126) || HAS_SHORT.has(unit)) return 0;
    if (unit < 0xd800 || unit > 0xdfff) return 5;
    const low = unit <= 0xdbff && this.#text.charCodeAt(at + 5) === BACKSLASH ? this.#unit(at + 6) : null;
    return low !== null && low >= 0xdc00 && low <= 0xdfff ? 11 : 0;
  }

  #unit(at: number): number | null {
    const text = this.#text.slice(at, at + 5);
    return /^u[0-9a-f]{4}$/.test(text) ? Number.parseInt(text.slice(1), 16) : null;
  }

  #number(): boolean {
    const start = this.#at;
    let at = start + (this.#text.charCodeAt(start) === 45 ? 1 : 0);
    const isZero = this.#text.charCodeAt(at) === 48;
    const first = at;
    for (let c = this.#text.charCodeAt(at); c >= 48 && c <= 57; c = this.#text.charCodeAt(at)) at++;
    this.#at = at;
    if (at === first || at - first > MAX_DIGITS || (isZero && at - start > 1)) return false;
    return Number.isSafeInteger(Number(this.#text.slice(start, at)));
  }
}

/** Null: the text is no object, or not known to be canonical. `without`: keys of members that do not count as its rest. */
export const readCanonical = (text: string, without: ReadonlySet<string>): CanonicalText | null =>
  new CanonicalScan(text, without).read();
