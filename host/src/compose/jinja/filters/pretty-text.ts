/** A value as Python's pprint lays it out: on one line of 80 if it fits, else one item a line, keys sorted. */
import type { Budget } from "../values/budget.ts";
import { compare } from "../values/compare.ts";
import { reprValue } from "../values/print-value.ts";
import { Dict, isList, textOf, Tuple, type Value } from "../values/values.ts";

const WIDTH = 80;

interface Place {
  readonly indent: number;
  /** What must still fit behind it on its last line. */
  readonly after: number;
}

const sortedEntries = (dict: Dict, budget: Budget): [Value, Value][] => {
  budget.spend(dict.size);
  return Array.from(dict.entries()).toSorted(([a], [b]) => {
    const bothText = textOf(a) !== null && textOf(b) !== null;
    const bothNumbers = typeof a === "bigint" && typeof b === "bigint";
    return bothText || bothNumbers ? compare(a, b, budget) : 0;
  });
};

/** As repr, but with sorted keys. */
const flat = (value: Value, budget: Budget): string => {
  budget.enter();
  let text: string;
  if (isList(value)) text = `[${value.map((item) => flat(item, budget)).join(", ")}]`;
  else if (value instanceof Dict) {
    const parts = sortedEntries(value, budget).map(([key, member]) => `${flat(key, budget)}: ${flat(member, budget)}`);
    text = `{${parts.join(", ")}}`;
  } else if (value instanceof Tuple) {
    text = `(${value.items.map((item) => flat(item, budget)).join(", ")}${value.items.length === 1 ? "," : ""})`;
  } else text = reprValue(value, budget);
  budget.leave();
  return budget.text(text);
};

/** The margin is as wide as the keys before it. */
const joinParts = (parts: readonly string[], indent: number, budget: Budget): string => {
  budget.spendText(parts.length * (indent + 2));
  return parts.join(`,\n${" ".repeat(indent)}`);
};

const layOut = (value: Value, place: Place, budget: Budget): string => {
  const line = flat(value, budget);
  if (line.length <= WIDTH - place.indent - place.after) return line;
  const indent = place.indent + 1;
  const items = isList(value) ? value : value instanceof Tuple ? value.items : null;
  if (items !== null) {
    const end = isList(value) ? "]" : items.length === 1 ? ",)" : ")";
    const parts = items.map((item, at) =>
      layOut(item, { indent, after: at === items.length - 1 ? place.after + end.length : 1 }, budget),
    );
    return budget.text(`${isList(value) ? "[" : "("}${joinParts(parts, indent, budget)}${end}`);
  }
  if (!(value instanceof Dict)) return line;
  const entries = sortedEntries(value, budget);
  const parts = entries.map(([key, member], at) => {
    const name = `${flat(key, budget)}: `;
    const after = at === entries.length - 1 ? place.after + 1 : 1;
    return name + layOut(member, { indent: indent + name.length, after }, budget);
  });
  return budget.text(`{${joinParts(parts, indent, budget)}}`);
};

export const prettyText = (value: Value, budget: Budget): string => layOut(value, { indent: 0, after: 0 }, budget);
