/** Filters over lists: order, groups, ends, parts. */
import { bindArgs } from "../values/args.ts";
import { foldCase, type Read, readPath, readPaths } from "./attribute-path.ts";
import { compare, equals } from "../values/compare.ts";
import type { Runtime } from "./runtime.ts";
import { type Filter, type FilterTable, textFor, wantInt } from "./filter.ts";
import { charactersOf, isTrue, iterableOf, iterate, lengthOf, listOf } from "../values/iterate.ts";
import { spendKey } from "../values/spend-key.ts";
import { TemplateError } from "../template-error.ts";
import { typeName } from "../values/type-name.ts";
import { Dict, Group, hashKey, Markup, Stream, textOf, Tuple, Undefined, type Value } from "../values/values.ts";

const folding = (caseSensitive: Value, engine: Runtime): Read =>
  isTrue(caseSensitive) ? (value) => value : foldCase(engine);

interface Keyed {
  readonly key: Value;
  readonly item: Value;
}

/** Stable, also where it goes down: equal ones keep their order. */
const sortKeyed = (items: readonly Keyed[], reverse: boolean, engine: Runtime): Value[] => {
  const sorted = items.toSorted((a, b) => {
    const order = compare(a.key, b.key, engine.budget) || 0;
    return reverse ? -order : order;
  });
  return sorted.map(({ item }) => item);
};

const sort: Filter = (value, args, engine) => {
  const names = ["reverse", "case_sensitive", "attribute"];
  const [reverse = false, caseSensitive = false, attribute = null] = bindArgs(args, "sort", names);
  const fold = folding(caseSensitive, engine);
  const read = readPaths(attribute, engine);
  const items = listOf(value, engine.budget).map((item) => ({ key: read(item).map(fold), item }));
  return sortKeyed(items, isTrue(reverse), engine);
};

const dictsort: Filter = (value, args, engine) => {
  const names = ["case_sensitive", "by", "reverse"];
  const [caseSensitive = false, by = "key", reverse = false] = bindArgs(args, "dictsort", names);
  if (!(value instanceof Dict))
    throw value instanceof Undefined
      ? new TemplateError("undefined", value.reason)
      : new TemplateError("runtime", "dictsort needs a mapping");
  if (by !== "key" && by !== "value")
    throw new TemplateError("runtime", 'You can only sort by either "key" or "value"');
  const fold = folding(caseSensitive, engine);
  engine.budget.spend(value.size);
  const items = Array.from(value.entries(), ([key, member]) => ({
    key: fold(by === "key" ? key : member),
    item: new Tuple([key, member]),
  }));
  return sortKeyed(items, isTrue(reverse), engine);
};

const groupby: Filter = (value, args, engine) => {
  const [attribute, fallback, caseSensitive = false] = bindArgs(args, "groupby", [
    "!attribute",
    "default",
    "case_sensitive",
  ]);
  const read = readPath(attribute!, engine, fallback);
  const fold = folding(caseSensitive, engine);
  const items = listOf(value, engine.budget).map((item) => ({ key: fold(read(item)), item }));
  const groups: { key: Value; items: Value[] }[] = [];
  for (const item of sortKeyed(items, false, engine)) {
    const key = fold(read(item));
    const last = groups.at(-1);
    if (last !== undefined && equals(last.key, key, engine.budget)) last.items.push(item);
    else groups.push({ key, items: [item] });
  }
  return groups.map((group) => new Group(read(group.items[0]!), group.items));
};

const unique: Filter = (value, args, engine) => {
  const [caseSensitive = false, attribute = null] = bindArgs(args, "unique", ["case_sensitive", "attribute"]);
  const fold = folding(caseSensitive, engine);
  const read = readPath(attribute, engine);
  return new Stream(
    (function* unseen(): Generator<Value> {
      const seen = new Set<string>();
      for (const item of iterate(value, engine.budget)) {
        const found = fold(read(item));
        engine.budget.spend(1);
        spendKey(found, engine.budget);
        const key = hashKey(found);
        if (key === null) throw new TemplateError("runtime", "unique cannot compare lists or dicts; name an attribute");
        if (!seen.has(key)) {
          seen.add(key);
          yield item;
        }
      }
    })(),
  );
};

const extreme =
  (name: string, isBetter: (order: number) => boolean): Filter =>
  (value, args, engine) => {
    const [caseSensitive = false, attribute = null] = bindArgs(args, name, ["case_sensitive", "attribute"]);
    const fold = folding(caseSensitive, engine);
    const read = readPath(attribute, engine);
    let best: Keyed | null = null;
    for (const item of iterate(value, engine.budget)) {
      const key = fold(read(item));
      if (best === null || isBetter(compare(key, best.key, engine.budget))) best = { key, item };
    }
    return best?.item ?? new Undefined("No aggregated item, sequence was empty.");
  };

const first: Filter = (value, args, engine) => {
  bindArgs(args, "first", []);
  for (const item of iterate(value, engine.budget)) return item;
  return new Undefined("No first item, sequence was empty.");
};

const last: Filter = (value, args, engine) => {
  bindArgs(args, "last", []);
  if (value instanceof Stream) throw new TemplateError("runtime", "'generator' object is not reversible");
  const found = listOf(value, engine.budget).at(-1);
  if (found === undefined) return new Undefined("No last item, sequence was empty.");
  return value instanceof Markup ? new Markup(found as string) : found;
};

const reverse: Filter = (value, args, engine) => {
  bindArgs(args, "reverse", []);
  const text = textOf(value);
  if (text !== null) {
    engine.budget.spendWork(text.length);
    return charactersOf(textFor(text, engine)).toReversed().join("");
  }
  if (iterableOf(value, engine.budget) === null) throw new TemplateError("runtime", "argument must be iterable");
  return new Stream(listOf(value, engine.budget).toReversed().values());
};

const count: Filter = (value, args, engine) => {
  bindArgs(args, "length", []);
  engine.budget.spendWork(textOf(value)?.length ?? 0);
  const length = lengthOf(value);
  if (length === null) throw new TemplateError("runtime", `object of type '${typeName(value)}' has no len()`);
  return BigInt(length);
};

const batch: Filter = (value, args, engine) => {
  const [linecount, fill = null] = bindArgs(args, "batch", ["!linecount", "fill_with"]);
  const size = linecount!;
  return new Stream(
    (function* lines(): Generator<Value> {
      let line: Value[] = [];
      for (const item of iterate(value, engine.budget)) {
        if (equals(BigInt(line.length), size, engine.budget)) {
          yield line;
          line = [];
        }
        line.push(item);
      }
      if (line.length === 0) return;
      if (fill !== null) {
        const missing = wantInt(size, "batch") - line.length;
        engine.budget.spend(Math.max(0, missing));
        for (let at = 0; at < missing; at += 1) line.push(fill);
      }
      yield line;
    })(),
  );
};

const slice: Filter = (value, args, engine) => {
  const [slices, fill = null] = bindArgs(args, "slice", ["!slices", "fill_with"]);
  return new Stream(
    (function* parts(): Generator<Value> {
      const items = listOf(value, engine.budget);
      const total = wantInt(slices!, "slice");
      if (total === 0) throw new TemplateError("runtime", "integer division or modulo by zero");
      const size = Math.floor(items.length / total);
      const longer = items.length - size * total;
      let from = 0;
      for (let at = 0; at < total; at += 1) {
        engine.budget.spend(1);
        const to = from + size + (at < longer ? 1 : 0);
        yield fill !== null && at >= longer ? [...items.slice(from, to), fill] : items.slice(from, to);
        from = to;
      }
    })(),
  );
};

export const LIST_FILTERS: FilterTable = [
  ["sort", sort],
  ["dictsort", dictsort],
  ["groupby", groupby],
  ["unique", unique],
  ["min", extreme("min", (order) => order < 0)],
  ["max", extreme("max", (order) => order > 0)],
  ["first", first],
  ["last", last],
  ["reverse", reverse],
  ["length", count],
  ["count", count],
  ["batch", batch],
  ["slice", slice],
  ["list", (value, args, engine) => (bindArgs(args, "list", []), listOf(value, engine.budget))],
];
