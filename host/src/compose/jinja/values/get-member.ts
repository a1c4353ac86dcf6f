/**
 * Look-ups: `a.b`, `a["b"]`, `a[1]`, slices. Values have the members of their own and a closed list of methods, nothing else.
 */
import type { Budget } from "./budget.ts";
import { charactersOf } from "./iterate.ts";
import { methodOf } from "./methods.ts";
import { reprValue } from "./print-value.ts";
import { sliceBounds, sliceIndexes, type SliceParts } from "./slice.ts";
import { spendKey } from "./spend-key.ts";
import { TemplateError } from "../template-error.ts";
import { objectName, typeName } from "./type-name.ts";
import {
  Dict,
  Entity,
  Group,
  isList,
  Markup,
  Namespace,
  numberOf,
  Range,
  textOf,
  Tuple,
  Undefined,
  type Value,
} from "./values.ts";

const REFUSED: ReadonlySet<string> = new Set(["constructor", "prototype", "__proto__"]);

const refuse = (name: string): void => {
  if (REFUSED.has(name)) throw new TemplateError("refused", `a template may not look up '${name}'`);
};

const missing = (of: Value, name: string): Undefined => new Undefined(`'${objectName(of)}' has no attribute '${name}'`);

/** What the value has under that name besides its items. */
export const attributeOf = (of: Value, name: string, budget: Budget): Value | undefined => {
  refuse(name);
  if (of instanceof Undefined) throw new TemplateError("undefined", of.reason);
  if (of instanceof Entity) return of.member(name);
  if (of instanceof Namespace) return of.members.get(name);
  if (of instanceof Group && (name === "grouper" || name === "list")) return of.items[name === "list" ? 1 : 0];
  return methodOf(of, name, budget);
};

export const getAttribute = (of: Value, name: string, budget: Budget): Value => {
  return attributeOf(of, name, budget) ?? (of instanceof Dict ? of.get(name) : undefined) ?? missing(of, name);
};

const itemsOf = (of: Value): readonly Value[] | null => (isList(of) ? of : of instanceof Tuple ? of.items : null);

const elementAt = (of: Value, index: bigint, budget: Budget): Value | undefined => {
  const at = Number(index);
  const items = itemsOf(of);
  if (items !== null) return items.at(at);
  if (of instanceof Range) {
    const from = at < 0 ? at + of.length : at;
    return from >= 0 && from < of.length ? BigInt(of.start + from * of.step) : undefined;
  }
  const text = textOf(of);
  if (text === null) return undefined;
  budget.spendWork(text.length);
  const character = charactersOf(text).at(at);
  return character !== undefined && of instanceof Markup ? new Markup(character) : character;
};

export const getItem = (of: Value, key: Value, budget: Budget): Value => {
  if (of instanceof Undefined) throw new TemplateError("undefined", of.reason);
  const name = textOf(key);
  if (name !== null) {
    budget.spendText(name.length);
    refuse(name);
  }
  if (of instanceof Dict) {
    spendKey(key, budget);
    const found = of.get(key);
    if (found !== undefined) return found;
  } else {
    const index = numberOf(key);
    const found = typeof index === "bigint" ? elementAt(of, index, budget) : undefined;
    if (found !== undefined) return found;
  }
  if (name === null) return new Undefined(`${objectName(of)} has no element ${reprValue(key, budget)}`);
  return attributeOf(of, name, budget) ?? missing(of, name);
};

const sliceRange = (range: Range, parts: SliceParts): Range => {
  const { start, stop, step } = sliceBounds(parts, range.length);
  return new Range(range.start + start * range.step, range.start + stop * range.step, range.step * step);
};

export const getSlice = (of: Value, parts: SliceParts, budget: Budget): Value => {
  if (of instanceof Undefined) throw new TemplateError("undefined", of.reason);
  const text = textOf(of);
  if (of instanceof Range) return sliceRange(of, parts);
  if (text !== null) budget.spendWork(text.length);
  const items = text === null ? itemsOf(of) : charactersOf(text);
  if (items === null) throw new TemplateError("runtime", `a value of type ${typeName(of)} has no slices`);
  budget.spend(items.length / 64);
  const picked: Value[] = [];
  for (const at of sliceIndexes(parts, items.length)) picked.push(items[at]!);
  budget.spend(picked.length / 8);
  if (text === null) return of instanceof Tuple ? new Tuple(picked) : picked;
  const joined = budget.text((picked as readonly string[]).join(""));
  return of instanceof Markup ? new Markup(joined) : joined;
};
