/** Equality, order and membership, as Python has them. */
import type { Budget } from "./budget.ts";
import { iterableOf } from "./iterate.ts";
import { spendKey } from "./spend-key.ts";
import { TemplateError } from "../template-error.ts";
import { typeName } from "./type-name.ts";
import { Dict, isList, numberOf, Range, textOf, Tuple, Undefined, type Value, View } from "./values.ts";

const PER_ITEM = 0.25;

const equalItems = (left: readonly Value[], right: readonly Value[], budget: Budget): boolean =>
  left.length === right.length &&
  left.every((item, at) => {
    budget.spend(PER_ITEM);
    return item === right[at] || equals(item, right[at]!, budget);
  });

const equalRanges = (left: Range, right: Range): boolean =>
  left.length === right.length &&
  (left.length === 0 || left.start === right.start) &&
  (left.length < 2 || left.step === right.step);

const equalDicts = (left: Dict, right: Dict, budget: Budget): boolean => {
  if (left.size !== right.size) return false;
  for (const [key, value] of left.entries()) {
    budget.spend(1);
    spendKey(key, budget);
    const other = right.get(key);
    if (other === undefined || !equals(value, other, budget)) return false;
  }
  return true;
};

const equalContainers = (left: Value, right: Value, budget: Budget): boolean => {
  if (isList(left)) return isList(right) && equalItems(left, right, budget);
  if (left instanceof Dict) return right instanceof Dict && equalDicts(left, right, budget);
  if (left instanceof Tuple) return right instanceof Tuple && equalItems(left.items, right.items, budget);
  if (left instanceof Range) return right instanceof Range && equalRanges(left, right);
  if (left instanceof View && right instanceof View && left.label !== "dict_values" && right.label !== "dict_values") {
    return left.items.length === right.items.length && left.items.every((item) => contains(right, item, budget));
  }
  return left === right;
};

export const equals = (left: Value, right: Value, budget: Budget): boolean => {
  const number = numberOf(left);
  if (number !== null) {
    const other = numberOf(right);
    // An int equals a float of the same value, so it is not ===.
    return other !== null && number == other;
  }
  const text = textOf(left);
  if (text !== null) {
    budget.spend(text.length / 128);
    return text === textOf(right);
  }
  if (left instanceof Undefined) return right instanceof Undefined;
  budget.enter();
  const equal = equalContainers(left, right, budget);
  budget.leave();
  return equal;
};

/** By code points: JavaScript compares halves of them. */
const compareText = (left: string, right: string): number => {
  const end = Math.min(left.length, right.length);
  for (let at = 0; at < end; at += 1) {
    if (left.charCodeAt(at) !== right.charCodeAt(at)) {
      const start = at > 0 && (left.charCodeAt(at) & 0xfc00) === 0xdc00 ? at - 1 : at;
      return left.codePointAt(start)! - right.codePointAt(start)!;
    }
  }
  return left.length - right.length;
};

const compareItems = (left: readonly Value[], right: readonly Value[], budget: Budget): number => {
  for (const [at, item] of left.entries()) {
    const other = right[at];
    if (other === undefined) return 1;
    budget.spend(PER_ITEM);
    if (!equals(item, other, budget)) return compare(item, other, budget);
  }
  return left.length - right.length;
};

/** Below, at or above 0; NaN where neither is less, as with a float that is none. */
export const compare = (left: Value, right: Value, budget: Budget): number => {
  budget.spend(1);
  for (const side of [left, right]) if (side instanceof Undefined) throw new TemplateError("undefined", side.reason);
  const number = numberOf(left);
  const other = numberOf(right);
  if (number !== null && other !== null) {
    // An int equals a float of the same value, so it is not ===.
    return number < other ? -1 : number > other ? 1 : number == other ? 0 : Number.NaN;
  }
  const text = textOf(left);
  const otherText = textOf(right);
  if (text !== null && otherText !== null) {
    budget.spendWork(Math.min(text.length, otherText.length));
    return compareText(text, otherText);
  }
  if (isList(left) && isList(right)) return nested(left, right, budget);
  if (left instanceof Tuple && right instanceof Tuple) return nested(left.items, right.items, budget);
  throw new TemplateError("runtime", `'${typeName(left)}' and '${typeName(right)}' have no order`);
};

const nested = (left: readonly Value[], right: readonly Value[], budget: Budget): number => {
  budget.enter();
  const order = compareItems(left, right, budget);
  budget.leave();
  return order;
};

export const contains = (container: Value, item: Value, budget: Budget): boolean => {
  const text = textOf(container);
  if (text !== null) {
    const part = textOf(item);
    if (part === null) throw new TemplateError("runtime", `a string cannot hold a value of type ${typeName(item)}`);
    budget.spendSearch(text.length, part.length);
    return text.includes(part);
  }
  if (container instanceof Dict) {
    spendKey(item, budget);
    return container.has(item);
  }
  const values = iterableOf(container, budget);
  if (values === null) throw new TemplateError("runtime", `'${typeName(container)}' object is not iterable`);
  for (const value of values) {
    budget.spend(1);
    if (value === item || equals(value, item, budget)) return true;
  }
  return false;
};
