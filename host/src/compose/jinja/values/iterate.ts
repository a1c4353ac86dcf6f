/** Going through a value, its length and its truth, as Python has them. */
import type { Budget } from "./budget.ts";
import { TemplateError } from "../template-error.ts";
import { typeName } from "./type-name.ts";
import { Dict, Entity, isList, Markup, Range, Stream, textOf, Tuple, Undefined, type Value, View } from "./values.ts";

const SURROGATE = /[\ud800-\udfff]/;

/** The characters as Python counts them; cheap where that is how JavaScript counts. */
export const charactersOf = (text: string): readonly string[] =>
  SURROGATE.test(text) ? Array.from(text) : text.split("");

export const characterCount = (text: string): number => {
  if (!SURROGATE.test(text)) return text.length;
  let count = 0;
  for (const _ of text) count += 1;
  return count;
};

function* rangeValues(range: Range): Generator<Value> {
  for (let at = 0; at < range.length; at += 1) yield BigInt(range.start + at * range.step);
}

/** Null: it cannot be gone through. */
export const iterableOf = (value: Value, budget: Budget): Iterable<Value> | null => {
  if (isList(value)) return value;
  const text = textOf(value);
  if (text !== null) {
    budget.spend(text.length / 16);
    return charactersOf(text);
  }
  if (value instanceof Tuple || value instanceof View) return value.items;
  if (value instanceof Dict) {
    budget.spend(value.size / 16);
    return value.keys();
  }
  if (value instanceof Undefined) return [];
  if (value instanceof Range) return rangeValues(value);
  // Not closed when it is left early: what is left can still be gone through.
  return value instanceof Stream ? { [Symbol.iterator]: () => ({ next: () => value.source.next() }) } : null;
};

export function* iterate(value: Value, budget: Budget): Generator<Value, undefined> {
  const values = iterableOf(value, budget);
  if (values === null) throw new TemplateError("runtime", `'${typeName(value)}' object is not iterable`);
  for (const item of values) {
    budget.spend(1);
    yield item;
  }
}

export const listOf = (value: Value, budget: Budget): Value[] => Array.from(iterate(value, budget));

/** Null: it has none. */
export const lengthOf = (value: Value): number | null => {
  if (isList(value)) return value.length;
  const text = textOf(value);
  if (text !== null) return characterCount(text);
  if (value instanceof Tuple || value instanceof View) return value.items.length;
  if (value instanceof Dict) return value.size;
  if (value instanceof Range) return value.length;
  return value instanceof Undefined ? 0 : null;
};

export const isTrue = (value: Value): boolean => {
  if (typeof value === "boolean") return value;
  if (value === null || value instanceof Undefined) return false;
  if (typeof value === "bigint") return value !== 0n;
  if (typeof value === "number") return value !== 0;
  if (typeof value === "string") return value !== "";
  if (value instanceof Markup) return value.text !== "";
  return value instanceof Entity || lengthOf(value) !== 0;
};
