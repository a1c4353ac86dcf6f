/** All tests by name: `x is even`, `select("even")`. */
import { bindArgs } from "../values/args.ts";
import { calculate } from "../values/arithmetic.ts";
import { compare, contains, equals } from "../values/compare.ts";
import { textFor } from "./filter.ts";
import type { Runtime } from "./runtime.ts";
import { iterableOf, lengthOf } from "../values/iterate.ts";
import { type Args, Dict, Entity, Markup, numberOf, textOf, Undefined, type Value, View } from "../values/values.ts";

export type ValueTest = (value: Value, args: Args, engine: Runtime) => boolean;
type Row = readonly [string, ValueTest];

const plain = (name: string, test: (value: Value, engine: Runtime) => boolean): Row => [
  name,
  (value, args, engine) => {
    bindArgs(args, name, []);
    return test(value, engine);
  },
];

const binary = (names: readonly string[], test: (sides: readonly [Value, Value], engine: Runtime) => boolean): Row[] =>
  names.map((name) => [
    name,
    (value, args, engine) => {
      const [other] = bindArgs(args, name, ["!other"]);
      return test([value, other!], engine);
    },
  ]);

const remainderIs = (value: Value, [divisor, rest]: readonly [Value, bigint], engine: Runtime): boolean =>
  equals(calculate("%", [value, divisor], engine.budget), rest, engine.budget);

const isNumber = (value: Value): boolean => numberOf(value) !== null;
const inCase = (value: Value, engine: Runtime, make: (text: string) => string): boolean => {
  const text = textFor(value, engine);
  return text === make(text) && text.toLowerCase() !== text.toUpperCase();
};

const isSequence = (value: Value): boolean =>
  textOf(value) !== null || (lengthOf(value) !== null && !(value instanceof View));

/** Whether there is a filter or test of that name is asked of the engine, which knows both. */
const exists = (name: "filter" | "test"): Row => [
  name,
  (value, args, engine) => {
    bindArgs(args, name, []);
    const wanted = textOf(value);
    engine.budget.spendText(wanted?.length ?? 0);
    return wanted !== null && engine.knows(name, wanted);
  },
];

const TABLE: readonly Row[] = [
  plain("defined", (value) => !(value instanceof Undefined)),
  plain("undefined", (value) => value instanceof Undefined),
  plain("none", (value) => value === null),
  plain("boolean", (value) => typeof value === "boolean"),
  plain("true", (value) => value === true),
  plain("false", (value) => value === false),
  plain("integer", (value) => typeof value === "bigint"),
  plain("float", (value) => typeof value === "number"),
  plain("number", isNumber),
  plain("string", (value) => textOf(value) !== null),
  plain("mapping", (value) => value instanceof Dict),
  plain("sequence", isSequence),
  plain("iterable", (value, engine) => iterableOf(value, engine.budget) !== null),
  plain("callable", (value) => value instanceof Undefined || (value instanceof Entity && value.call !== null)),
  plain("escaped", (value) => value instanceof Markup),
  plain("lower", (value, engine) => inCase(value, engine, (text) => text.toLowerCase())),
  plain("upper", (value, engine) => inCase(value, engine, (text) => text.toUpperCase())),
  plain("odd", (value, engine) => remainderIs(value, [2n, 1n], engine)),
  plain("even", (value, engine) => remainderIs(value, [2n, 0n], engine)),
  ...binary(["divisibleby"], ([value, by], engine) => remainderIs(value, [by, 0n], engine)),
  ...binary(["sameas"], ([value, other]) => value === other),
  ...binary(["in"], ([value, within], engine) => contains(within, value, engine.budget)),
  ...binary(["eq", "equalto", "=="], ([a, b], engine) => equals(a, b, engine.budget)),
  ...binary(["ne", "!="], ([a, b], engine) => !equals(a, b, engine.budget)),
  ...binary(["lt", "lessthan", "<"], ([a, b], engine) => compare(a, b, engine.budget) < 0),
  ...binary(["le", "<="], ([a, b], engine) => compare(a, b, engine.budget) <= 0),
  ...binary(["gt", "greaterthan", ">"], ([a, b], engine) => compare(a, b, engine.budget) > 0),
  ...binary(["ge", ">="], ([a, b], engine) => compare(a, b, engine.budget) >= 0),
  exists("filter"),
  exists("test"),
];

export const VALUE_TESTS: ReadonlyMap<string, ValueTest> = new Map(TABLE);
