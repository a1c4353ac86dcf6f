/**
 * Finds spans in JSON text, so that what is forwarded is the text that came in. Every function here takes text that
 * `JSON.parse` has already accepted; none of them checks the grammar.
 */
import { rawJson, rawMembers, type RawJson, type RawMembers } from "./raw-json.ts";

export interface Span {
  /** First and one past the last character of the value. */
  readonly start: number;
  readonly end: number;
}
export interface Member extends Span {
  readonly key: string;
  /** Where the key's opening quote stands. */
  readonly keyStart: number;
}

const QUOTE = 34;
const BACKSLASH = 92;
const OPEN_OBJECT = 123;
const CLOSE_OBJECT = 125;
const OPEN_ARRAY = 91;
const CLOSE_ARRAY = 93;
const COMMA = 44;
const COLON = 58;

const skipSpace = (text: string, at: number): number => {
  let i = at;
  for (;;) {
    const c = text.charCodeAt(i);
    if (c !== 32 && c !== 10 && c !== 13 && c !== 9) return i;
    i++;
  }
};

/** One past the closing quote of the string that opens at `at`. */
export const skipString = (text: string, at: number): number => {
  let i = at + 1;
  for (;;) {
    const quote = text.indexOf('"', i);
    let slashes = 0;
    while (text.charCodeAt(quote - 1 - slashes) === BACKSLASH) slashes++;
    if (slashes % 2 === 0) return quote + 1;
    i = quote + 1;
  }
};

/** One past the end of the value that begins at `at`. */
const skipValue = (text: string, at: number): number => {
  let i = at;
  let depth = 0;
  for (;;) {
    const c = text.charCodeAt(i);
    if (c === QUOTE) {
      i = skipString(text, i);
      if (depth === 0) return i;
    } else if (c === OPEN_OBJECT || c === OPEN_ARRAY) {
      depth++;
      i++;
    } else if (c === CLOSE_OBJECT || c === CLOSE_ARRAY) {
      if (depth === 0) return i;
      i++;
      if (--depth === 0) return i;
    } else if (depth === 0 && !isScalarPart(c)) {
      return i;
    } else {
      i++;
    }
  }
};

/** Characters of numbers and literals. NaN, past the end, is none. */
const isScalarPart = (c: number): boolean =>
  (c >= 48 && c <= 57) || (c >= 97 && c <= 122) || c === 43 || c === 45 || c === 46 || c === 69;

const readKey = (text: string, start: number, end: number): string => {
  const inner = text.slice(start + 1, end - 1);
  return inner.includes("\\") ? (JSON.parse(text.slice(start, end)) as string) : inner;
};

/** Members of the object that opens at `at`, in their order. */
export const membersOf = (text: string, at = 0): Member[] => {
  const members: Member[] = [];
  let i = skipSpace(text, skipSpace(text, at) + 1);
  while (text.charCodeAt(i) === QUOTE) {
    const keyStart = i;
    const keyEnd = skipString(text, i);
    const start = skipSpace(text, skipSpace(text, keyEnd) + 1);
    const end = skipValue(text, start);
    members.push({ key: readKey(text, keyStart, keyEnd), keyStart, start, end });
    i = skipSpace(text, end);
    if (text.charCodeAt(i) !== COMMA) break;
    i = skipSpace(text, i + 1);
  }
  return members;
};

/** Passes the members of one object in their order, as `membersOf` lists them, and makes nothing of what it passes. */
export class MemberWalk {
  readonly #text: string;
  #at: number;
  #keyEnd = 0;
  keyStart = 0;
  start = 0;
  end = 0;

  /** Of the object that opens at `at`. */
  constructor(text: string, at = 0) {
    this.#text = text;
    this.#at = skipSpace(text, skipSpace(text, at) + 1);
  }

  /** False: there is no further one. */
  next(): boolean {
    const text = this.#text;
    if (text.charCodeAt(this.#at) !== QUOTE) return false;
    this.keyStart = this.#at;
    this.#keyEnd = skipString(text, this.#at);
    this.start = skipSpace(text, skipSpace(text, this.#keyEnd) + 1);
    this.end = skipValue(text, this.start);
    const after = skipSpace(text, this.end);
    this.#at = text.charCodeAt(after) === COMMA ? skipSpace(text, after + 1) : after;
    return true;
  }

  key(): string {
    return readKey(this.#text, this.keyStart, this.#keyEnd);
  }

  /** The value as it stands there. */
  value(): RawJson {
    return rawJson(this.#text.slice(this.start, this.end));
  }

  /** The member with its key, joined to others before it. */
  joinTo(members: RawMembers): RawMembers {
    const member = this.#text.slice(this.keyStart, this.end);
    return rawMembers(members === "" ? member : `${members},${member}`);
  }
}

/** The value of one member, or null. Where it stands twice it is the last, as for `JSON.parse`. */
export const memberOf = (text: string, key: string, at = 0): Member | null =>
  membersOf(text, at).findLast((member) => member.key === key) ?? null;

/** Items of the array that opens at `at`. */
export const itemsOf = (text: string, at = 0): Span[] => {
  const items: Span[] = [];
  let i = skipSpace(text, skipSpace(text, at) + 1);
  while (text.charCodeAt(i) !== CLOSE_ARRAY) {
    const end = skipValue(text, i);
    items.push({ start: i, end });
    i = skipSpace(text, end);
    if (text.charCodeAt(i) === COMMA) i = skipSpace(text, i + 1);
  }
  return items;
};

export const sliceJson = (text: string, span: Span): RawJson => rawJson(text.slice(span.start, span.end));

/** The given members with their keys, as they stand in `text`, joined by commas. */
export const joinMembers = (text: string, members: readonly Member[]): RawMembers =>
  rawMembers(members.map((member) => text.slice(member.keyStart, member.end)).join(","));

/** `object` with `members` put in right after its opening brace. */
export const insertMembers = (object: RawJson, members: RawMembers): RawJson => {
  if (members === "") return object;
  const open = object.indexOf("{") + 1;
  const rest = object.slice(open);
  const empty = object.charCodeAt(skipSpace(object, open)) === CLOSE_OBJECT;
  return rawJson(`${object.slice(0, open)}${members}${empty ? "" : ","}${rest}`);
};

interface Level {
  /** Null for an array. A list while there are few, which is nearly always. */
  keys: string[] | Set<string> | null;
  key: string;
  index: number;
}

const pointerOf = (levels: readonly Level[]): string =>
  levels
    .map((level) => `/${level.keys === null ? level.index : level.key.replaceAll("~", "~0").replaceAll("/", "~1")}`)
    .join("");

export type JsonDefect =
  | { readonly kind: "repeated"; readonly pointer: string }
  | { readonly kind: "deep" }
  | { readonly kind: "number"; readonly pointer: string };

/** What a walk looks for. `numbers`: integers beyond ±(2^53−1) and numbers of more than 17 digits. */
export interface WalkOptions {
  readonly maxDepth: number;
  readonly numbers: boolean;
}

/** How many members its objects have, all levels together, repeated ones too; -1 when it nests deeper than `maxDepth`. */
export const countMembers = (text: string, maxDepth: number): number => {
  let count = 0;
  let depth = 0;
  for (let i = 0; i < text.length; i++) {
    const c = text.charCodeAt(i);
    if (c === QUOTE) i = skipString(text, i) - 1;
    else if (c === COLON) count++;
    else if (c === OPEN_OBJECT || c === OPEN_ARRAY) {
      if (++depth > maxDepth) return -1;
    } else if (c === CLOSE_OBJECT || c === CLOSE_ARRAY) depth--;
  }
  return count;
};

/** The first defect of a value that two parsers could read differently, or null. */
export const findJsonDefect = (text: string, options: WalkOptions): JsonDefect | null => {
  const levels: Level[] = [];
  let i = 0;
  while (i < text.length) {
    const c = text.charCodeAt(i);
    const top = levels[levels.length - 1];
    if (c === QUOTE) {
      const end = skipString(text, i);
      if (top?.keys && isKey(text, i)) {
        top.key = readKey(text, i, end);
        if (!addKey(top)) return { kind: "repeated", pointer: pointerOf(levels) };
      }
      i = end;
    } else if (c === OPEN_OBJECT || c === OPEN_ARRAY) {
      if (levels.length === options.maxDepth) return { kind: "deep" };
      levels.push({ keys: c === OPEN_OBJECT ? [] : null, key: "", index: 0 });
      i++;
    } else if (c === CLOSE_OBJECT || c === CLOSE_ARRAY) {
      levels.pop();
      i++;
    } else if (options.numbers && (c === 45 || (c >= 48 && c <= 57))) {
      const end = skipValue(text, i);
      if (isUnsafeNumber(text.slice(i, end))) return { kind: "number", pointer: pointerOf(levels) };
      i = end;
    } else {
      if (c === COMMA && top) top.index++;
      i++;
    }
  }
  return null;
};

const FEW_KEYS = 16;

/** False when the key is there already. */
const addKey = (level: Level): boolean => {
  const { keys, key } = level;
  if (Array.isArray(keys)) {
    if (keys.includes(key)) return false;
    keys.push(key);
    if (keys.length > FEW_KEYS) level.keys = new Set(keys);
    return true;
  }
  if (keys?.has(key)) return false;
  keys?.add(key);
  return true;
};

/** In an object a string is a key when the character before it, blanks aside, is `{` or `,`. */
const isKey = (text: string, at: number): boolean => {
  let i = at - 1;
  for (;;) {
    const c = text.charCodeAt(i);
    if (c === OPEN_OBJECT || c === COMMA) return true;
    if (c === COLON) return false;
    i--;
  }
};

const isUnsafeNumber = (literal: string): boolean => {
  const value = Number(literal);
  if (!Number.isFinite(value)) return true;
  const digits = literal
    .replace(/[eE].*$/, "")
    .replace(/[-.]/g, "")
    .replace(/^0+/, "");
  return digits.length > 17 || (Number.isInteger(value) && !Number.isSafeInteger(value));
};
