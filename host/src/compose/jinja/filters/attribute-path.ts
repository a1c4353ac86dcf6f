/** `attribute="a.0.b"` of the filters that look into items, and how they ignore case. */
import type { Runtime } from "./runtime.ts";
import { getItem } from "../values/get-member.ts";
import { Markup, textOf, Undefined, type Value } from "../values/values.ts";

export type Read = (item: Value) => Value;

/** Text is the same in capitals and small letters. */
export const foldCase =
  ({ budget }: Runtime): Read =>
  (value) => {
    const text = textOf(value);
    if (text === null) return value;
    budget.spendWork(text.length);
    return value instanceof Markup ? new Markup(text.toLowerCase()) : text.toLowerCase();
  };

const stepsOf = (attribute: Value, { budget }: Runtime): readonly Value[] => {
  const path = textOf(attribute);
  budget.spend((path?.length ?? 0) / 8);
  if (path === null) return attribute === null ? [] : [attribute];
  return path.split(".").map((step) => (/^\d+$/.test(step) ? BigInt(step) : step));
};

/** `fallback` undefined or None: none. */
export const readPath = (attribute: Value, engine: Runtime, fallback?: Value): Read => {
  const steps = stepsOf(attribute, engine);
  return (item) => {
    let value = item;
    for (const step of steps) {
      value = getItem(value, step, engine.budget);
      if (fallback !== undefined && fallback !== null && value instanceof Undefined) value = fallback;
    }
    return value;
  };
};

/** Several paths with commas between them. */
export const readPaths = (attribute: Value, engine: Runtime): ((item: Value) => Value[]) => {
  const path = textOf(attribute);
  engine.budget.spend((path?.length ?? 0) / 8);
  const reads = path === null ? [readPath(attribute, engine)] : path.split(",").map((one) => readPath(one, engine));
  return (item) => reads.map((read) => read(item));
};
