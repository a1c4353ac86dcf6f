/** The methods of Python's str that cut: strip, split, partition and their kind. */
import { bindArgs } from "./args.ts";
import type { Budget } from "./budget.ts";
import { charactersOf } from "./iterate.ts";
import { LINE_END, SPACE, SPACES } from "./python-space.ts";
import { TemplateError } from "../template-error.ts";
import { type Args, numberOf, textOf, Tuple, type Value } from "./values.ts";

type StringMethod = (text: string, args: Args, budget: Budget) => Value;

/** None stands for white space. */
const wantChars = (value: Value | undefined, what: string): string | null => {
  if (value === undefined || value === null) return null;
  const text = textOf(value);
  if (text === null) throw new TemplateError("runtime", `${what} needs a string or None`);
  return text;
};

const wantCount = (value: Value | undefined, what: string): number => {
  const number = value === undefined ? -1n : numberOf(value);
  if (typeof number !== "bigint") throw new TemplateError("runtime", `${what} needs a whole number`);
  return number < 0n ? Number.POSITIVE_INFINITY : Number(number);
};

export interface StripOptions {
  /** Null: white space. */
  readonly chars: string | null;
  readonly left: boolean;
  readonly right: boolean;
}

export const stripText = (text: string, { chars, left, right }: StripOptions): string => {
  const set = chars === null ? null : new Set(charactersOf(chars));
  const goes = (character: string): boolean => (set === null ? SPACE.test(character) : set.has(character));
  const characters = set === null ? text : charactersOf(text);
  let from = 0;
  let to = characters.length;
  if (left) while (from < to && goes(characters[from]!)) from += 1;
  if (right) while (to > from && goes(characters[to - 1]!)) to -= 1;
  return typeof characters === "string" ? characters.slice(from, to) : characters.slice(from, to).join("");
};

const strip =
  (name: string, sides: Pick<StripOptions, "left" | "right">): StringMethod =>
  (text, args, budget) => {
    const chars = wantChars(bindArgs(args, name, ["chars"])[0], name);
    budget.spendWork(text.length + (chars?.length ?? 0));
    return stripText(text, { chars, ...sides });
  };

const splitWords = (text: string, count: number): string[] => {
  const parts: string[] = [];
  let rest = stripText(text, { chars: null, left: true, right: false });
  while (rest !== "" && parts.length < count) {
    const at = rest.search(SPACE);
    if (at < 0) break;
    parts.push(rest.slice(0, at));
    rest = stripText(rest.slice(at), { chars: null, left: true, right: false });
  }
  return rest === "" ? parts : [...parts, rest];
};

/** From the right: what is left over stands first. */
const splitWordsRight = (text: string, count: number): string[] => {
  const words = text.split(SPACES).filter((word) => word !== "");
  if (words.length <= count + 1) return words;
  let rest = text;
  const parts: string[] = [];
  for (let taken = 0; taken < count; taken += 1) {
    rest = stripText(rest, { chars: null, left: false, right: true });
    const word = words[words.length - 1 - taken]!;
    parts.unshift(word);
    rest = rest.slice(0, rest.length - word.length);
  }
  return [stripText(rest, { chars: null, left: false, right: true }), ...parts];
};

const splitAt = (text: string, mark: string, count: number): string[] => {
  const parts = text.split(mark);
  if (parts.length <= count + 1) return parts;
  return [...parts.slice(0, count), parts.slice(count).join(mark)];
};

const splitAtRight = (text: string, mark: string, count: number): string[] => {
  const parts = text.split(mark);
  if (parts.length <= count + 1) return parts;
  const kept = parts.length - count;
  return [parts.slice(0, kept).join(mark), ...parts.slice(kept)];
};

const splitter =
  (name: string, right: boolean): StringMethod =>
  (text, args, budget) => {
    const [sep, maxsplit] = bindArgs(args, name, ["sep", "maxsplit"]);
    const mark = wantChars(sep, name);
    const count = wantCount(maxsplit, name);
    if (mark === "") throw new TemplateError("runtime", "empty separator");
    budget.spendSearch(text.length, mark?.length ?? 0);
    if (text.length > 0 && mark === null && count < text.length) budget.spend((count * text.length) / 128);
    const made =
      mark === null
        ? (right && count < text.length ? splitWordsRight : splitWords)(text, count)
        : (right ? splitAtRight : splitAt)(text, mark, count);
    budget.spend(made.length / 4);
    return made;
  };

const partition =
  (name: string, find: (text: string, mark: string) => number, right: boolean): StringMethod =>
  (text, args, budget) => {
    const mark = wantChars(bindArgs(args, name, ["!sep"])[0], name);
    if (mark === null || mark === "") throw new TemplateError("runtime", "empty separator");
    budget.spendSearch(text.length, mark.length);
    const at = find(text, mark);
    if (at < 0) return new Tuple(right ? ["", "", text] : [text, "", ""]);
    return new Tuple([text.slice(0, at), mark, text.slice(at + mark.length)]);
  };

const splitLines: StringMethod = (text, args, budget) => {
  const [keepends] = bindArgs(args, "splitlines", ["keepends"]);
  const lines: string[] = [];
  let from = 0;
  for (const end of text.matchAll(LINE_END)) {
    const after = end.index + end[0].length;
    lines.push(text.slice(from, keepends === true ? after : end.index));
    from = after;
  }
  if (from < text.length) lines.push(text.slice(from));
  budget.spend(lines.length / 4);
  return lines;
};

export const SPLIT_METHODS: readonly (readonly [string, StringMethod])[] = [
  ["strip", strip("strip", { left: true, right: true })],
  ["lstrip", strip("lstrip", { left: true, right: false })],
  ["rstrip", strip("rstrip", { left: false, right: true })],
  ["split", splitter("split", false)],
  ["rsplit", splitter("rsplit", true)],
  ["splitlines", splitLines],
  ["partition", partition("partition", (text, mark) => text.indexOf(mark), false)],
  ["rpartition", partition("rpartition", (text, mark) => text.lastIndexOf(mark), true)],
];
