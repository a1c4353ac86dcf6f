/** Filters that go through a list with another filter, a test or an attribute. */
import { bindArgs } from "../values/args.ts";
import { calculate } from "../values/arithmetic.ts";
import { type Read, readPath } from "./attribute-path.ts";
import type { Runtime } from "./runtime.ts";
import { type Filter, type FilterTable, textFor } from "./filter.ts";
import { isTrue, iterate } from "../values/iterate.ts";
import { printValue } from "../values/print-value.ts";
import { TemplateError } from "../template-error.ts";
import { type Args, Dict, Stream, textOf, Tuple, Undefined, type Value } from "../values/values.ts";

const without = (args: Args, count: number): Args => ({ positional: args.positional.slice(count), named: args.named });

const nameIn = (value: Value, what: string): string => {
  const name = textOf(value);
  if (name === null) throw new TemplateError("runtime", `${what} needs the name as a string`);
  return name;
};

const mapper = (args: Args, engine: Runtime): Read => {
  const [name] = args.positional;
  const attribute = args.named.get("attribute");
  if (name === undefined && attribute !== undefined) {
    const [path, fallback] = bindArgs(args, "map", ["attribute", "default"]);
    return readPath(path!, engine, fallback);
  }
  if (name === undefined) throw new TemplateError("runtime", "map requires a filter argument");
  const rest = without(args, 1);
  const filter = nameIn(name, "map");
  return (item) => engine.filter(filter, item, rest);
};

const map: Filter = (value, args, engine) =>
  new Stream(
    (function* mapped(): Generator<Value> {
      if (!isTrue(value)) return;
      const read = mapper(args, engine);
      for (const item of iterate(value, engine.budget)) yield read(item);
    })(),
  );

/** Without the name of a test, what is true passes. */
const tester = (args: Args, what: string, engine: Runtime): ((item: Value) => boolean) => {
  const [name] = args.positional;
  if (name === undefined) return isTrue;
  const rest = without(args, 1);
  const test = nameIn(name, what);
  return (item) => engine.test(test, item, rest);
};

interface Selection {
  readonly name: string;
  readonly wanted: boolean;
  readonly byAttribute: boolean;
}

const selecting =
  ({ name, wanted, byAttribute }: Selection): Filter =>
  (value, args, engine) =>
    new Stream(
      (function* selected(): Generator<Value> {
        if (!isTrue(value)) return;
        const attribute = args.positional[0];
        if (byAttribute && attribute === undefined)
          throw new TemplateError("runtime", "Missing parameter for attribute name");
        const read: Read = byAttribute ? readPath(attribute!, engine) : (item) => item;
        const passes = tester(byAttribute ? without(args, 1) : args, name, engine);
        for (const item of iterate(value, engine.budget)) if (passes(read(item)) === wanted) yield item;
      })(),
    );

const join: Filter = (value, args, engine) => {
  const [glue = "", attribute = null] = bindArgs(args, "join", ["d", "attribute"]);
  const read = readPath(attribute, engine);
  const between = textFor(glue, engine);
  let text = "";
  let first = true;
  for (const item of iterate(value, engine.budget)) {
    const part = printValue(read(item), engine.budget);
    text += first ? part : between + part;
    first = false;
    if (text.length > engine.budget.maxText) engine.budget.spendText(text.length);
  }
  return engine.budget.text(text);
};

const sum: Filter = (value, args, engine) => {
  const [attribute = null, start = 0n] = bindArgs(args, "sum", ["attribute", "start"]);
  const read = readPath(attribute, engine);
  let total: Value = start;
  for (const item of iterate(value, engine.budget)) total = calculate("+", [total, read(item)], engine.budget);
  return total;
};

const items: Filter = (value, args) => {
  bindArgs(args, "items", []);
  return new Stream(
    (function* pairs(): Generator<Value> {
      if (value instanceof Undefined) return;
      if (!(value instanceof Dict)) throw new TemplateError("runtime", "Can only get item pairs from a mapping.");
      for (const [key, member] of value.entries()) yield new Tuple([key, member]);
    })(),
  );
};

const fallback: Filter = (value, args) => {
  const [given = "", boolean = false] = bindArgs(args, "default", ["default_value", "boolean"]);
  return value instanceof Undefined || (isTrue(boolean) && !isTrue(value)) ? given : value;
};

export const SELECT_FILTERS: FilterTable = [
  ["map", map],
  ["select", selecting({ name: "select", wanted: true, byAttribute: false })],
  ["reject", selecting({ name: "reject", wanted: false, byAttribute: false })],
  ["selectattr", selecting({ name: "selectattr", wanted: true, byAttribute: true })],
  ["rejectattr", selecting({ name: "rejectattr", wanted: false, byAttribute: true })],
  ["join", join],
  ["sum", sum],
  ["items", items],
  ["default", fallback],
  ["d", fallback],
];
