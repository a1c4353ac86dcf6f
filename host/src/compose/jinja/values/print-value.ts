/** How a value prints: Python's str, and its repr for what is inside of lists and dicts. */
import type { Budget } from "./budget.ts";
import { floatText } from "./float-text.ts";
import {
  Dict,
  isList,
  Markup,
  Namespace,
  Range,
  Stream,
  textOf,
  Tuple,
  Undefined,
  type Value,
  View,
} from "./values.ts";

const NAMED: Readonly<Record<string, string>> = { "\n": "\\n", "\r": "\\r", "\t": "\\t", "\\": "\\\\" };
const SPECIAL = /[\\\p{C}\p{Z}]/gu;

const escapeCharacter = (character: string): string => {
  if (character === " ") return character;
  const named = NAMED[character];
  if (named !== undefined) return named;
  const code = character.codePointAt(0)!;
  const hex = code.toString(16);
  if (code < 0x100) return `\\x${hex.padStart(2, "0")}`;
  return code < 0x10000 ? `\\u${hex.padStart(4, "0")}` : `\\U${hex.padStart(8, "0")}`;
};

/** A string literal: single quotes, unless only double ones save an escape. */
const quoteText = (text: string): string => {
  const quote = text.includes("'") && !text.includes('"') ? '"' : "'";
  const escaped = text.replaceAll(SPECIAL, escapeCharacter);
  return `${quote}${quote === "'" ? escaped.replaceAll("'", "\\'") : escaped}${quote}`;
};

const joinReprs = (values: readonly Value[], budget: Budget): string => {
  let text = "";
  for (const [at, value] of values.entries()) {
    text += at === 0 ? reprValue(value, budget) : `, ${reprValue(value, budget)}`;
    if (text.length > budget.maxText) budget.spendText(text.length);
  }
  return text;
};

const reprPairs = (pairs: Iterable<readonly [Value, Value]>, budget: Budget): string => {
  let text = "";
  for (const [key, value] of pairs) {
    text += `${text === "" ? "" : ", "}${reprValue(key, budget)}: ${reprValue(value, budget)}`;
    if (text.length > budget.maxText) budget.spendText(text.length);
  }
  return `{${text}}`;
};

const namespacePairs = (namespace: Namespace): [Value, Value][] => [...namespace.members];

const reprContainer = (value: Value, budget: Budget): string => {
  if (isList(value)) return `[${joinReprs(value, budget)}]`;
  if (value instanceof Dict) return reprPairs(value.entries(), budget);
  if (value instanceof Tuple) return `(${joinReprs(value.items, budget)}${value.items.length === 1 ? "," : ""})`;
  if (value instanceof View) return `${value.label}([${joinReprs(value.items, budget)}])`;
  if (value instanceof Namespace) return `<Namespace ${reprPairs(namespacePairs(value), budget)}>`;
  return "";
};

const reprScalar = (value: Value): string | null => {
  if (value === null) return "None";
  if (typeof value === "string") return quoteText(value);
  if (typeof value === "bigint") return value.toString();
  if (typeof value === "number") return floatText(value);
  if (typeof value === "boolean") return value ? "True" : "False";
  if (value instanceof Markup) return `Markup(${quoteText(value.text)})`;
  if (value instanceof Undefined) return "Undefined";
  if (value instanceof Stream) return "<generator object>";
  if (value instanceof Range) {
    return `range(${value.start}, ${value.stop}${value.step === 1 ? "" : `, ${value.step}`})`;
  }
  return "print" in value ? value.print() : null;
};

export const reprValue = (value: Value, budget: Budget): string => {
  const given = textOf(value);
  if (given !== null) budget.spendWork(given.length);
  const scalar = reprScalar(value);
  if (scalar !== null) return budget.text(scalar);
  budget.enter();
  const text = reprContainer(value, budget);
  budget.leave();
  return text;
};

export const printValue = (value: Value, budget: Budget): string => {
  if (typeof value === "string") return value;
  if (value instanceof Markup) return value.text;
  return value instanceof Undefined ? "" : reprValue(value, budget);
};
