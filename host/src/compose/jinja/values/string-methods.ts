/** The methods of Python's str that templates use, by name. */
import { bindArgs } from "./args.ts";
import type { Budget } from "./budget.ts";
import type { Put } from "./escape-value.ts";
import { formatBraces } from "./format-braces.ts";
import { padText } from "./format-number.ts";
import { charactersOf, iterate } from "./iterate.ts";
import { sliceBounds } from "./slice.ts";
import { SPLIT_METHODS } from "./split-methods.ts";
import { TemplateError } from "../template-error.ts";
import { capitalise, isTitle, swapCase, titleCase } from "./text-case.ts";
import { typeName } from "./type-name.ts";
import { type Args, numberOf, textOf, Tuple, type Value } from "./values.ts";

interface Into {
  readonly budget: Budget;
  /** For what comes into the text from outside. */
  readonly put: Put;
}

export type StringMethod = (text: string, args: Args, into: Into) => Value;

const wantText = (value: Value | undefined, what: string): string => {
  const text = value === undefined ? null : textOf(value);
  if (text === null) throw new TemplateError("runtime", `${what} needs a string`);
  return text;
};

const wantInt = (value: Value | undefined, what: string): number => {
  const number = value === undefined ? null : numberOf(value);
  if (typeof number !== "bigint") throw new TemplateError("runtime", `${what} needs a whole number`);
  return Number(number);
};

const wantFill = (value: Value, what: string): string => {
  const fill = wantText(value, what);
  if (fill.length > 2 || charactersOf(fill).length !== 1)
    throw new TemplateError("runtime", "The fill character must be exactly one character long");
  return fill;
};

const plain =
  (name: string, make: (text: string) => Value): StringMethod =>
  (text, args) => {
    bindArgs(args, name, []);
    return make(text);
  };

/** The same for what looks at each letter by itself. */
const slow =
  (name: string, make: (text: string) => Value): StringMethod =>
  (text, args, { budget }) => {
    bindArgs(args, name, []);
    budget.spendWork(text.length * 2);
    return make(text);
  };

/** True for a text that is not empty and matches from end to end. */
const matching = (name: string, pattern: RegExp): [string, StringMethod] => [
  name,
  plain(name, (text) => pattern.test(text)),
];

const padding =
  (name: string, align: "<" | ">"): StringMethod =>
  (text, args, { budget, put }) => {
    const [width, fill] = bindArgs(args, name, ["!width", "fillchar"]);
    return padText(text, { width: wantInt(width, name), align, fill: wantFill(put(fill ?? " "), name) }, budget);
  };

/** Python puts the odd blank to the left where the width is odd. */
export const centre = (text: string, width: number, budget: Budget): string => {
  const missing = width - charactersOf(text).length;
  if (missing <= 0) return text;
  budget.spendText(width);
  const left = Math.floor(missing / 2) + (missing % 2 === 1 && width % 2 === 1 ? 1 : 0);
  return " ".repeat(left) + text + " ".repeat(missing - left);
};

const affix =
  (name: string, matches: (text: string, part: string) => boolean): StringMethod =>
  (text, args, { budget }) => {
    const [parts, start, end] = bindArgs(args, name, ["!prefix", "start", "end"]);
    const within = part(text, start, end);
    const wanted = parts instanceof Tuple ? parts.items : [parts!];
    return wanted.some((one) => {
      const sought = wantText(one, name);
      budget.spendText(sought.length);
      return matches(within.text, sought);
    });
  };

interface Part {
  readonly text: string;
  readonly from: number;
}

const part = (text: string, start: Value | undefined, end: Value | undefined): Part => {
  if (start === undefined && end === undefined) return { text, from: 0 };
  const characters = charactersOf(text);
  const bounds = sliceBounds({ start: start ?? null, stop: end ?? null, step: 1n }, characters.length);
  const picked = characters.slice(bounds.start, Math.max(bounds.start, bounds.stop));
  return { text: picked.join(""), from: picked.length === 0 ? 0 : bounds.start };
};

const finding =
  (name: string, find: (text: string, wanted: string) => number, strict: boolean): StringMethod =>
  (text, args, { budget }) => {
    const [sub, start, end] = bindArgs(args, name, ["!sub", "start", "end"]);
    const wanted = wantText(sub, name);
    const within = part(text, start, end);
    budget.spendSearch(within.text.length, wanted.length);
    const at = find(within.text, wanted);
    if (at < 0 && strict) throw new TemplateError("runtime", "substring not found");
    return BigInt(at < 0 ? -1 : within.from + charactersOf(within.text.slice(0, at)).length);
  };

const countOf = (text: string, wanted: string): number =>
  wanted === "" ? charactersOf(text).length + 1 : text.split(wanted).length - 1;

export interface Replacement {
  readonly wanted: string;
  readonly by: string;
  /** The first so many places only; below 0: all. */
  readonly count: number;
}

export const replaceText = (text: string, { wanted, by, count }: Replacement, budget: Budget): string => {
  budget.spendSearch(text.length, wanted.length);
  if (wanted === "") budget.spendWork(text.length * 4);
  const parts = wanted === "" ? ["", ...charactersOf(text), ""] : text.split(wanted);
  const places = count < 0 ? parts.length - 1 : Math.min(count, parts.length - 1);
  budget.spend(parts.length / 16);
  budget.spendText(text.length + by.length * places);
  const rest = parts.slice(places).join(wanted);
  return [...parts.slice(0, places), rest].join(by);
};

const replace: StringMethod = (text, args, { budget, put }) => {
  const [old, by, count] = bindArgs(args, "replace", ["!old", "!new", "count"]);
  const places = count === undefined ? -1 : wantInt(count, "replace");
  return replaceText(
    text,
    { wanted: wantText(old, "replace"), by: wantText(put(by!), "replace"), count: places },
    budget,
  );
};

const join: StringMethod = (text, args, { budget, put }) => {
  const [values] = bindArgs(args, "join", ["!iterable"]);
  const parts: string[] = [];
  for (const value of iterate(values!, budget)) {
    const item = textOf(put(value));
    if (item === null) throw new TemplateError("runtime", `join needs strings, not ${typeName(value)}`);
    budget.spendText(item.length + text.length);
    parts.push(item);
  }
  return parts.join(text);
};

const zeroFill: StringMethod = (text, args, { budget }) => {
  const width = wantInt(bindArgs(args, "zfill", ["!width"])[0], "zfill");
  const sign = /^[+-]/.exec(text)?.[0] ?? "";
  return sign + padText(text.slice(sign.length), { width: width - sign.length, align: ">", fill: "0" }, budget);
};

const expandTabs: StringMethod = (text, args, { budget }) => {
  const size = wantInt(bindArgs(args, "expandtabs", ["tabsize"])[0] ?? 8n, "expandtabs");
  let column = 0;
  let made = "";
  for (const character of charactersOf(text)) {
    const width = character === "\t" ? (size > 0 ? size - (column % size) : 0) : 1;
    if (character === "\t" && width > 1) budget.spendText(made.length + width);
    made += character === "\t" ? " ".repeat(width) : character;
    column = character === "\n" || character === "\r" ? 0 : column + width;
  }
  return made;
};

export const STRING_METHODS: ReadonlyMap<string, StringMethod> = new Map<string, StringMethod>([
  ["upper", plain("upper", (text) => text.toUpperCase())],
  ["lower", plain("lower", (text) => text.toLowerCase())],
  ["casefold", plain("casefold", (text) => text.toLowerCase().replaceAll("\u00df", "ss"))],
  ["capitalize", plain("capitalize", capitalise)],
  ["title", slow("title", titleCase)],
  ["swapcase", slow("swapcase", swapCase)],
  ["istitle", slow("istitle", isTitle)],
  ["isupper", plain("isupper", (text) => text === text.toUpperCase() && text !== text.toLowerCase())],
  ["islower", plain("islower", (text) => text === text.toLowerCase() && text !== text.toUpperCase())],
  ["isascii", plain("isascii", (text) => !/[\u0080-\uffff]/.test(text))],
  matching("isalpha", /^\p{L}+$/u),
  matching("isalnum", /^[\p{L}\p{N}]+$/u),
  matching("isdecimal", /^\p{Nd}+$/u),
  matching("isdigit", /^[\p{Nd}\u00b2\u00b3\u00b9\u2070\u2074-\u2079\u2080-\u2089]+$/u),
  matching("isnumeric", /^\p{N}+$/u),
  matching("isspace", /^\s+$/u),
  matching("isidentifier", /^[\p{ID_Start}_]\p{ID_Continue}*$/u),
  matching("isprintable", /^(?:[^\p{C}\p{Z}]| )*$/u),
  ["startswith", affix("startswith", (text, wanted) => text.startsWith(wanted))],
  ["endswith", affix("endswith", (text, wanted) => text.endsWith(wanted))],
  ["find", finding("find", (text, wanted) => text.indexOf(wanted), false)],
  ["rfind", finding("rfind", (text, wanted) => text.lastIndexOf(wanted), false)],
  ["index", finding("index", (text, wanted) => text.indexOf(wanted), true)],
  ["rindex", finding("rindex", (text, wanted) => text.lastIndexOf(wanted), true)],
  [
    "count",
    (text, args, { budget }) => {
      const [sub, start, end] = bindArgs(args, "count", ["!sub", "start", "end"]);
      const wanted = wantText(sub, "count");
      budget.spendSearch(text.length, wanted.length);
      return BigInt(countOf(part(text, start, end).text, wanted));
    },
  ],
  [
    "removeprefix",
    (text, args) => {
      const prefix = wantText(bindArgs(args, "removeprefix", ["!prefix"])[0], "removeprefix");
      return text.startsWith(prefix) ? text.slice(prefix.length) : text;
    },
  ],
  [
    "removesuffix",
    (text, args) => {
      const suffix = wantText(bindArgs(args, "removesuffix", ["!suffix"])[0], "removesuffix");
      return suffix !== "" && text.endsWith(suffix) ? text.slice(0, -suffix.length) : text;
    },
  ],
  ["ljust", padding("ljust", "<")],
  ["rjust", padding("rjust", ">")],
  [
    "center",
    (text, args, { budget, put }) => {
      const [width, fill] = bindArgs(args, "center", ["!width", "fillchar"]);
      const centred = centre(text, wantInt(width, "center"), budget);
      const mark = wantFill(put(fill ?? " "), "center");
      const left = centred.indexOf(text);
      return mark.repeat(left) + text + mark.repeat(centred.length - left - text.length);
    },
  ],
  ["zfill", zeroFill],
  ["expandtabs", expandTabs],
  ["replace", replace],
  ["join", join],
  ["format", (text, args, into) => formatBraces(text, args, into)],
  ...SPLIT_METHODS.map(([name, cut]): [string, StringMethod] => [
    name,
    (text, args, into) => cut(text, args, into.budget),
  ]),
]);
