/** The operators of Python on numbers, strings and lists. An int may grow, but not without end. */
import type { Budget } from "./budget.ts";
import { escapeValue } from "./escape-value.ts";
import { formatPercent } from "./format-percent.ts";
import type { BinaryOp } from "../parse/nodes.ts";
import { TemplateError } from "../template-error.ts";
import { typeName } from "./type-name.ts";
import { isList, Markup, numberOf, textOf, Tuple, Undefined, type Value } from "./values.ts";

/** Somewhat more than the 4,300 digits that Python prints. */
const MAX_BITS = 14_400;
const TOO_LARGE = (): TemplateError => new TemplateError("limit", "a whole number has more than 4300 digits");

const bitsOf = (value: bigint): number => value.toString(16).length * 4;

const bounded = (value: bigint): bigint => {
  if (value > Number.MAX_SAFE_INTEGER && bitsOf(value) > MAX_BITS) throw TOO_LARGE();
  if (value < Number.MIN_SAFE_INTEGER && bitsOf(-value) > MAX_BITS) throw TOO_LARGE();
  return value;
};

const floorDivide = (left: bigint, right: bigint): bigint => {
  const quotient = left / right;
  return left % right !== 0n && left < 0n !== right < 0n ? quotient - 1n : quotient;
};

const powerOfInts = (left: bigint, right: bigint): Value => {
  if (right < 0n) return powerOfFloats(Number(left), Number(right));
  const size = left < 0n ? -left : left;
  if (size > 1n && (right > MAX_BITS || bitsOf(size) * Number(right) > MAX_BITS * 2)) throw TOO_LARGE();
  return bounded(left ** right);
};

const powerOfFloats = (left: number, right: number): number => {
  if (left === 0 && right < 0) throw new TemplateError("runtime", "0.0 cannot be raised to a negative power");
  if (left === 1 || right === 0) return 1;
  if (left < 0 && Number.isFinite(left) && !Number.isInteger(right) && Number.isFinite(right)) {
    throw new TemplateError("runtime", "a negative number cannot be raised to a power with a fraction");
  }
  if (left === -1 && !Number.isFinite(right) && !Number.isNaN(right)) return 1;
  const power = left ** right;
  if (!Number.isFinite(power) && Number.isFinite(left) && Number.isFinite(right)) {
    throw new TemplateError("runtime", "the result is too large for a float");
  }
  return power;
};

const notZero = (right: bigint | number): void => {
  // 0 and 0n alike, so it is not ===.
  if (right == 0) throw new TemplateError("runtime", "division by zero");
};

const floatModulo = (left: number, right: number): number => {
  const rest = left % right;
  if (rest === 0) return right < 0 ? -0 : 0;
  return rest < 0 !== right < 0 ? rest + right : rest;
};

const onInts: Readonly<Record<BinaryOp, (left: bigint, right: bigint) => Value>> = {
  "+": (left, right) => bounded(left + right),
  "-": (left, right) => bounded(left - right),
  "*": (left, right) => bounded(left * right),
  "/": (left, right) => {
    const quotient = Number(left) / Number(right);
    if (!Number.isFinite(quotient)) throw new TemplateError("runtime", "the result is too large for a float");
    return quotient;
  },
  "//": floorDivide,
  "%": (left, right) => left - floorDivide(left, right) * right,
  "**": powerOfInts,
};

const onFloats: Readonly<Record<BinaryOp, (left: number, right: number) => Value>> = {
  "+": (left, right) => left + right,
  "-": (left, right) => left - right,
  "*": (left, right) => left * right,
  "/": (left, right) => left / right,
  "//": (left, right) => (left - floatModulo(left, right)) / right,
  "%": floatModulo,
  "**": powerOfFloats,
};

/** An int as a float; one that is too large for that is no number to go on with. */
const toFloat = (value: bigint | number): number => {
  const float = Number(value);
  if (typeof value === "bigint" && !Number.isFinite(float))
    throw new TemplateError("runtime", "int too large to convert to float");
  return float;
};

const LARGE_NUMBER = 16;
const isLarge = (value: bigint | number): boolean =>
  typeof value === "bigint" && (value > Number.MAX_SAFE_INTEGER || value < Number.MIN_SAFE_INTEGER);

const onNumbers = (op: BinaryOp, [left, right]: readonly [bigint | number, bigint | number], budget: Budget): Value => {
  if (op === "**" || isLarge(left) || isLarge(right)) budget.spend(LARGE_NUMBER);
  if (op === "/" || op === "//" || op === "%") notZero(right);
  if (typeof left === "bigint" && typeof right === "bigint") return onInts[op](left, right);
  return onFloats[op](toFloat(left), toFloat(right));
};

const repeat = (value: Value, times: bigint, budget: Budget): Value | null => {
  const count = times > 0n ? (times > budget.maxText ? budget.maxText + 1 : Number(times)) : 0;
  const text = textOf(value);
  if (text !== null) {
    budget.spendText(text.length * count);
    return value instanceof Markup ? new Markup(text.repeat(count)) : text.repeat(count);
  }
  const items = isList(value) ? value : value instanceof Tuple ? value.items : null;
  if (items === null) return null;
  budget.spend(items.length * count);
  const repeated = Array.from({ length: items.length * count }, (_, at) => items[at % items.length]!);
  return value instanceof Tuple ? new Tuple(repeated) : repeated;
};

const addTexts = (left: Value, right: Value, budget: Budget): Value | null => {
  const text = textOf(left);
  const other = textOf(right);
  if (text === null || other === null) return null;
  if (!(left instanceof Markup) && !(right instanceof Markup)) return joined(text, other, budget);
  return new Markup(joined(escapeValue(left, budget).text, escapeValue(right, budget).text, budget));
};

/** A joined text shares what it is made of, so that only its length must be looked at. */
const joined = (left: string, right: string, budget: Budget): string => {
  if (left.length + right.length > budget.maxText) budget.spendText(left.length + right.length);
  return left + right;
};

const addLists = (left: Value, right: Value, budget: Budget): Value | null => {
  if (isList(left) && isList(right)) {
    budget.spend(left.length + right.length);
    return [...left, ...right];
  }
  if (!(left instanceof Tuple) || !(right instanceof Tuple)) return null;
  budget.spend(left.items.length + right.items.length);
  return new Tuple([...left.items, ...right.items]);
};

const onOthers = (op: BinaryOp, [left, right]: readonly [Value, Value], budget: Budget): Value | null => {
  if (op === "+") return addTexts(left, right, budget) ?? addLists(left, right, budget);
  if (op !== "*") return null;
  const times = numberOf(right);
  if (typeof times === "bigint") return repeat(left, times, budget);
  const before = numberOf(left);
  return typeof before === "bigint" ? repeat(right, before, budget) : null;
};

export const calculate = (op: BinaryOp, sides: readonly [Value, Value], budget: Budget): Value => {
  const [left, right] = sides;
  const a = numberOf(left);
  const b = numberOf(right);
  if (a !== null && b !== null) return onNumbers(op, [a, b], budget);
  if (op === "%" && (typeof left === "string" || left instanceof Markup)) return formatPercent(left, right, budget);
  for (const side of sides) if (side instanceof Undefined) throw new TemplateError("undefined", side.reason);
  const result = onOthers(op, sides, budget);
  if (result !== null) return result;
  throw new TemplateError(
    "runtime",
    `unsupported operand types for ${op}: '${typeName(left)}' and '${typeName(right)}'`,
  );
};

export const negate = (value: Value): Value => {
  const number = numberOf(value);
  if (number !== null) return -number;
  if (value instanceof Undefined) throw new TemplateError("undefined", value.reason);
  throw new TemplateError("runtime", `bad operand type for unary -: '${typeName(value)}'`);
};
