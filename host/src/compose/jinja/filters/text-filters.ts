/** Filters over text. */
import { bindArgs } from "../values/args.ts";
import type { Runtime } from "./runtime.ts";
import { escapeText, escapeValue } from "../values/escape-value.ts";
import { type Filter, type FilterTable, textFor, wantInt, wantText } from "./filter.ts";
import { formatPercent } from "../values/format-percent.ts";
import { charactersOf, isTrue, lengthOf } from "../values/iterate.ts";
import { LINE_END } from "../values/python-space.ts";
import { stripText } from "../values/split-methods.ts";
import { centre, replaceText } from "../values/string-methods.ts";
import { TemplateError } from "../template-error.ts";
import { capitalise } from "../values/text-case.ts";
import { type Args, Dict, Markup, textOf, Tuple, type Value } from "../values/values.ts";
import { wrapText } from "./wrap-text.ts";

/** Text in, text out; markup stays markup. */
const simple =
  (name: string, make: (text: string) => string): Filter =>
  (value, args, engine) => {
    bindArgs(args, name, []);
    const made = engine.budget.text(make(textFor(value, engine)));
    return value instanceof Markup ? new Markup(made) : made;
  };

const titleWord = (word: string): string => (/^[-\s({[<]/u.test(word) ? word : capitalise(word));

const title = (text: string): string =>
  text
    .split(/([-\s({[<]+)/u)
    .map(titleWord)
    .join("");

const indent: Filter = (value, args, engine) => {
  const [width = 4n, first = false, blank = false] = bindArgs(args, "indent", ["width", "first", "blank"]);
  const margin = textOf(width) ?? " ".repeat(Math.min(Math.max(0, wantInt(width, "indent")), engine.budget.maxText));
  const lines = wantText(value, "indent", engine).split(LINE_END);
  engine.budget.spend(lines.length / 8);
  engine.budget.spendText((margin.length + 1) * lines.length);
  const indented = lines.map((line, at) => {
    if (at === 0) return isTrue(first) ? margin + line : line;
    return line !== "" || isTrue(blank) ? margin + line : line;
  });
  return indented.join("\n");
};

const truncate: Filter = (value, args, engine) => {
  const names = ["length", "killwords", "end", "leeway"];
  const [length = 255n, killwords = false, end = "...", leeway] = bindArgs(args, "truncate", names);
  const mark = textFor(end, engine);
  const size = wantInt(length, "truncate");
  const spare = leeway === undefined || leeway === null ? 5 : wantInt(leeway, "truncate");
  if (size < charactersOf(mark).length)
    throw new TemplateError("runtime", `expected length >= ${mark.length}, got ${size}`);
  if (spare < 0) throw new TemplateError("runtime", `expected leeway >= 0, got ${spare}`);
  // A short list passes too, as it does in Jinja2.
  if (textOf(value) === null && (lengthOf(value) ?? Number.NaN) <= size + spare) return value;
  engine.budget.spendWork(textOf(value)?.length ?? 0);
  const characters = charactersOf(wantText(value, "truncate", engine));
  if (characters.length <= size + spare) return value;
  const cut = characters.slice(0, size - charactersOf(mark).length).join("");
  if (isTrue(killwords)) return cut + mark;
  const blank = cut.lastIndexOf(" ");
  return (blank < 0 ? cut : cut.slice(0, blank)) + mark;
};

const wordwrap: Filter = (value, args, engine) => {
  const names = ["width", "break_long_words", "wrapstring", "break_on_hyphens"];
  const [width = 79n, breakLong = true, wrap = null, hyphens = true] = bindArgs(args, "wordwrap", names);
  const glue = wrap === null ? "\n" : textFor(wrap, engine);
  const size = wantInt(width, "wordwrap");
  if (size <= 0) throw new TemplateError("runtime", `invalid width ${size} (must be > 0)`);
  const options = { width: size, breakLongWords: isTrue(breakLong), breakOnHyphens: isTrue(hyphens) };
  const text = wantText(value, "wordwrap", engine);
  engine.budget.spend(text.length / 8);
  const lines = text.split(LINE_END);
  if (lines.at(-1) === "") lines.pop();
  const made = lines
    .map((line) => wrapText(line, options))
    .map((wrapped) => {
      engine.budget.spendText(glue.length * wrapped.length);
      return wrapped.join(glue);
    });
  return engine.budget.text(made.join(glue));
};

const format: Filter = (value, args, engine) => {
  if (args.positional.length > 0 && args.named.size > 0) {
    throw new TemplateError("runtime", "can't handle positional and keyword arguments at the same time");
  }
  const text = textFor(value, engine);
  const template = value instanceof Markup ? value : text;
  if (args.named.size === 0) return formatPercent(template, new Tuple(args.positional), engine.budget);
  const dict = new Dict();
  engine.budget.spend(args.named.size);
  for (const [name, given] of args.named) dict.set(name, given);
  return formatPercent(template, dict, engine.budget);
};

const replace: Filter = (value, args, engine) => {
  const [old, by, count = null] = bindArgs(args, "replace", ["!old", "!new", "count"]);
  const places = count === null ? -1 : wantInt(count, "replace");
  const replacement = { wanted: textFor(old!, engine), by: textFor(by!, engine), count: places };
  return replaceText(textFor(value, engine), replacement, engine.budget);
};

/** Without what stands from one mark to the other; an opening mark without a closing one stays. In linear time. */
const cutOut = (text: string, [open, close]: readonly [string, string]): string => {
  let kept = "";
  let from = 0;
  for (let at = text.indexOf(open); at >= 0; at = text.indexOf(open, from)) {
    const end = text.indexOf(close, at);
    if (end < 0) break;
    kept += text.slice(from, at);
    from = end + close.length;
  }
  return kept + text.slice(from);
};

const striptags: Filter = (value, args, engine) => {
  bindArgs(args, "striptags", []);
  const bare = cutOut(cutOut(textFor(value, engine), ["<!--", "-->"]), ["<", ">"]);
  return unescapeHtml(
    bare
      .split(/\s+/u)
      .filter((word) => word !== "")
      .join(" "),
  );
};

const ENTITIES: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'", nbsp: "\u00a0" };

const unescapeHtml = (text: string): string =>
  text.replaceAll(
    /&(?:#(\d{1,7})|#x([\da-f]{1,6})|([a-z]+));/gi,
    (whole, decimal: string | undefined, hex: string | undefined, name: string | undefined) => {
      if (name !== undefined) return Object.hasOwn(ENTITIES, name) ? ENTITIES[name]! : whole;
      const code = decimal === undefined ? Number.parseInt(hex ?? "", 16) : Number(decimal);
      return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : "\ufffd";
    },
  );

const trim: Filter = (value, args, engine) => {
  const [chars = null] = bindArgs(args, "trim", ["chars"]);
  engine.budget.spendWork(textOf(value)?.length ?? 0);
  const stripped = stripText(textFor(value, engine), {
    chars: chars === null ? null : textFor(chars, engine),
    left: true,
    right: true,
  });
  return value instanceof Markup ? new Markup(stripped) : stripped;
};

const noArgs = (name: string, make: (value: Value, engine: Runtime) => Value): readonly [string, Filter] => [
  name,
  (value: Value, args: Args, engine: Runtime) => {
    bindArgs(args, name, []);
    return make(value, engine);
  },
];

export const TEXT_FILTERS: FilterTable = [
  ["upper", simple("upper", (text) => text.toUpperCase())],
  ["lower", simple("lower", (text) => text.toLowerCase())],
  ["capitalize", simple("capitalize", capitalise)],
  noArgs("title", (value, engine) => {
    engine.budget.spendWork((textOf(value)?.length ?? 0) * 2);
    return engine.budget.text(title(textFor(value, engine)));
  }),
  ["trim", trim],
  [
    "center",
    (value, args, engine) => {
      const [width = 80n] = bindArgs(args, "center", ["width"]);
      return centre(textFor(value, engine), wantInt(width, "center"), engine.budget);
    },
  ],
  ["indent", indent],
  ["truncate", truncate],
  ["wordwrap", wordwrap],
  noArgs("wordcount", (value, engine) => BigInt(textFor(value, engine).match(/[\p{L}\p{N}_]+/gu)?.length ?? 0)),
  ["replace", replace],
  ["format", format],
  ["striptags", striptags],
  noArgs("string", (value, engine) => (value instanceof Markup ? value : textFor(value, engine))),
  noArgs("safe", (value, engine) => new Markup(textFor(value, engine))),
  noArgs("escape", (value, engine) => escapeValue(value, engine.budget)),
  noArgs("e", (value, engine) => escapeValue(value, engine.budget)),
  noArgs("forceescape", (value, engine) => new Markup(engine.budget.text(escapeText(textFor(value, engine))))),
];
