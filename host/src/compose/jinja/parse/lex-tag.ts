/** The tokens inside one tag. Numbers, names, strings and operators are Python's. */
import type { TagReader, TokenType } from "./token.ts";
import { unescapeString } from "./unescape-string.ts";

const SPACE = /\s+/y;
const NAME = /[\p{ID_Start}_][\p{ID_Continue}]*/uy;
const DIGITS = /\d+(?:_\d+)*/y;
const EXPONENT = /e[+-]?\d+(?:_\d+)*/iy;
const OTHER_BASE = /0(?:b(?:_?[01])+|o(?:_?[0-7])+|x(?:_?[\da-f])+)/iy;
const INTEGER = /[1-9]\d*(?:_\d+)*|0+(?:_0+)*/y;
const OPERATOR = /\/\/|\*\*|[=!<>]=|[-+/*%~[\](){}<>=.:|,;]/y;
const PRINT_END = /-\}\}\s*|\}\}/y;
const BLOCK_END = /\+%\}|-%\}\s*|%\}/y;
const CLOSING: Readonly<Record<string, string>> = { "(": ")", "[": "]", "{": "}" };

const matchAt = (pattern: RegExp, text: string, at: number): string | null => {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0] ?? null;
};

/** A float has a fraction or an exponent, and does not follow a dot: `a.1.2` is two look-ups. */
const floatAt = (text: string, at: number): string | null => {
  const whole = text[at - 1] === "." ? null : matchAt(DIGITS, text, at);
  if (whole === null) return null;
  const dot = at + whole.length;
  const fraction = text[dot] === "." ? matchAt(DIGITS, text, dot + 1) : null;
  const end = fraction === null ? dot : dot + 1 + fraction.length;
  const exponent = matchAt(EXPONENT, text, end) ?? "";
  return fraction === null && exponent === "" ? null : text.slice(at, end + exponent.length);
};

/** The length of the string literal at a quote, quotes included; null: it does not end. */
const stringLength = (text: string, at: number): number | null => {
  for (let end = at + 1; end < text.length; end += 1) {
    if (text[end] === "\\") end += 1;
    else if (text[end] === text[at]) return end + 1 - at;
  }
  return null;
};

interface Found {
  readonly type: TokenType;
  readonly text: string;
  readonly length: number;
}

const asFound = (type: TokenType, text: string | null): Found | null =>
  text === null ? null : { type, text, length: text.length };

const stringAt = (reader: TagReader, at: number): Found | null => {
  const quote = reader.text[at];
  const length = quote === '"' || quote === "'" ? stringLength(reader.text, at) : null;
  if (length === null) return null;
  const value = unescapeString(reader.text.slice(at + 1, at + length - 1));
  if (value === null) throw reader.fault("a string holds an escape that is cut off, or \\N", at);
  return { type: "string", text: value, length };
};

const tokenAt = (reader: TagReader, at: number): Found | null => {
  const { text } = reader;
  return (
    asFound("float", floatAt(text, at)) ??
    asFound("integer", matchAt(OTHER_BASE, text, at) ?? matchAt(INTEGER, text, at)) ??
    asFound("name", matchAt(NAME, text, at)) ??
    stringAt(reader, at) ??
    asFound("op", matchAt(OPERATOR, text, at))
  );
};

/** Reads up to the tag's end, which counts only outside of brackets; the position after it. */
export const lexTag = (reader: TagReader, from: number, end: "print-end" | "block-end"): number => {
  const { text } = reader;
  const closing = end === "print-end" ? PRINT_END : BLOCK_END;
  const open: string[] = [];
  let at = from;
  while (at < text.length) {
    const ended = open.length === 0 ? matchAt(closing, text, at) : null;
    if (ended !== null) {
      reader.push(end, ended, at);
      return at + ended.length;
    }
    const space = matchAt(SPACE, text, at);
    if (space !== null) {
      at += space.length;
      continue;
    }
    const found = tokenAt(reader, at);
    if (found === null) throw reader.fault(`unexpected char ${JSON.stringify(text[at])} at ${at}`, at);
    if (found.type === "op") follow(reader, at, open);
    reader.push(found.type, found.text, at);
    at += found.length;
  }
  return at;
};

/** Keeps the brackets that are open. */
const follow = (reader: TagReader, at: number, open: string[]): void => {
  const mark = reader.text[at]!;
  const closing = CLOSING[mark];
  if (closing !== undefined) open.push(closing);
  else if (mark === ")" || mark === "]" || mark === "}") {
    const expected = open.pop();
    if (expected === undefined) throw reader.fault(`unexpected '${mark}'`, at);
    if (expected !== mark) throw reader.fault(`unexpected '${mark}', expected '${expected}'`, at);
  }
};
