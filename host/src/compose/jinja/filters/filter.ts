/** What a filter is, and how filters read their arguments. */
import type { Runtime } from "./runtime.ts";
import { printValue } from "../values/print-value.ts";
import { TemplateError } from "../template-error.ts";
import { typeName } from "../values/type-name.ts";
import { type Args, numberOf, textOf, Undefined, type Value } from "../values/values.ts";

export type Filter = (value: Value, args: Args, engine: Runtime) => Value;
export type FilterTable = readonly (readonly [string, Filter])[];

/** A whole number as an argument. */
export const wantInt = (value: Value, what: string): number => {
  if (value instanceof Undefined) throw new TemplateError("undefined", value.reason);
  const number = numberOf(value);
  if (typeof number !== "bigint") throw new TemplateError("runtime", `${what} needs a whole number`);
  return Number(number);
};

/** A string that the filter would not make of something else. */
export const wantText = (value: Value, what: string, engine: Runtime): string => {
  if (value instanceof Undefined) throw new TemplateError("undefined", value.reason);
  if (textOf(value) === null) throw new TemplateError("runtime", `${what} needs a string, not ${typeName(value)}`);
  return textFor(value, engine);
};

/** The text of whatever is given, paid for: the filter is about to go through it. */
export const textFor = (value: Value, engine: Runtime): string => {
  const text = printValue(value, engine.budget);
  engine.budget.spendWork(text.length);
  return text;
};
