/** `attribute="a.0.b"` of the filters that look into items, and how they ignore case. */
import type { Runtime } from "./runtime.ts";
import { getItem } from "../values/get-member.ts";
import { Markup, textOf, Undefined, type Value } from "../values/values.ts";

export type Read = (item: Value) => Value;

/** Text is the same in capitals and small letters. */
export const foldCase: Read = (value) => {
  if (value instanceof Markup) return new Markup(value.text.toLowerCase());
  return typeof value === "string" ? value.toLowerCase() : value;
};

const stepsOf = (attribute: Value): readonly Value[] => {
  const path = textOf(attribute);
  if (path === null) return attribute === null ? [] : [attribute];
  return path.split(".").map((step) => (/^\d+$/.test(step) ? BigInt(step) : step));
};

/** `fallback` undefined or None: none. */
export const readPath = (attribute: Value, engine: Runtime, fallback?: Value): Read => {
  const steps = stepsOf(attribute);
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
  const reads = path === null ? [readPath(attribute, engine)] : path.split(",").map((one) => readPath(one, engine));
  return (item) => reads.map((read) => read(item));
};
