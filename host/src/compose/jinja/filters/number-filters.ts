/** Filters over numbers. */
import { bindArgs } from "../values/args.ts";
import { negate } from "../values/arithmetic.ts";
import { type Filter, type FilterTable, wantInt } from "./filter.ts";
import { fixedText, roundFloat } from "../values/float-text.ts";
import { isTrue } from "../values/iterate.ts";
import { parseFloatText, parseIntText } from "../values/parse-number.ts";
import { TemplateError } from "../template-error.ts";
import { typeName } from "../values/type-name.ts";
import { numberOf, textOf, Undefined, type Value } from "../values/values.ts";

const PREFIXES = ["k", "M", "G", "T", "P", "E", "Z", "Y"];

const defined = (value: Value): void => {
  if (value instanceof Undefined) throw new TemplateError("undefined", value.reason);
};

const wantNumber = (value: Value, what: string): bigint | number => {
  defined(value);
  const number = numberOf(value);
  if (number === null) throw new TemplateError("runtime", `${what} needs a number, not ${typeName(value)}`);
  return number;
};

/** Null: it is none. */
const asFloat = (value: Value): number | null => {
  const number = numberOf(value);
  if (number !== null) return Number(number);
  const text = textOf(value);
  return text === null ? null : parseFloatText(text);
};

const toInt: Filter = (value, args, engine) => {
  const [fallback = 0n, base = 10n] = bindArgs(args, "int", ["default", "base"]);
  defined(value);
  const text = textOf(value);
  engine.budget.spend(text?.length ?? 0);
  const whole = text === null ? null : parseIntText(text, wantInt(base, "int"));
  if (whole !== null) return whole;
  const number = numberOf(value);
  if (typeof number === "bigint") return number;
  const float = asFloat(value);
  if (float === null || Number.isNaN(float)) return fallback;
  if (Number.isFinite(float)) return BigInt(Math.trunc(float));
  if (text !== null) return fallback;
  throw new TemplateError("runtime", "cannot convert float infinity to integer");
};

const toFloat: Filter = (value, args, engine) => {
  const [fallback = 0] = bindArgs(args, "float", ["default"]);
  defined(value);
  engine.budget.spend((textOf(value)?.length ?? 0) / 16);
  return asFloat(value) ?? fallback;
};

/** An int keeps its type; below the point it stays as it is. */
const roundInt = (value: bigint, places: number): bigint => {
  if (places >= 0) return value;
  if (places < -4300) return 0n;
  const unit = 10n ** BigInt(-places);
  const size = value < 0n ? -value : value;
  const twice = (size % unit) * 2n;
  const whole = size / unit;
  const rounded = (twice > unit || (twice === unit && whole % 2n === 1n) ? whole + 1n : whole) * unit;
  return value < 0n ? -rounded : rounded;
};

const round: Filter = (value, args, engine) => {
  const [precision = 0n, method = "common"] = bindArgs(args, "round", ["precision", "method"]);
  if (method !== "common" && method !== "ceil" && method !== "floor") {
    throw new TemplateError("runtime", "method must be common, ceil or floor");
  }
  const number = wantNumber(value, "round");
  const places = wantInt(precision, "round");
  engine.budget.spend(4 + Math.min(Math.abs(places), 4300) / 16);
  if (method === "common") return typeof number === "bigint" ? roundInt(number, places) : roundFloat(number, places);
  const scale = 10 ** places;
  const scaled = Number(number) * scale;
  return (method === "ceil" ? Math.ceil(scaled) : Math.floor(scaled)) / scale;
};

const abs: Filter = (value, args) => {
  bindArgs(args, "abs", []);
  const number = wantNumber(value, "abs");
  return number < 0 || Object.is(number, -0) ? negate(number) : number;
};

const filesizeformat: Filter = (value, args, engine) => {
  const [binary = false] = bindArgs(args, "filesizeformat", ["binary"]);
  defined(value);
  engine.budget.spendWork(textOf(value)?.length ?? 0);
  const bytes = asFloat(value);
  if (bytes === null) throw new TemplateError("runtime", "filesizeformat needs a number");
  const base = isTrue(binary) ? 1024 : 1000;
  if (bytes === 1) return "1 Byte";
  if (bytes < base) return `${Math.trunc(bytes)} Bytes`;
  let unit = base;
  let at = 0;
  for (; at < PREFIXES.length - 1 && bytes >= unit * base; at += 1) unit *= base;
  const prefix = isTrue(binary) ? `${PREFIXES[at]!.toUpperCase()}iB` : `${PREFIXES[at]}B`;
  return `${fixedText((base * bytes) / (unit * base), 1)} ${prefix}`;
};

export const NUMBER_FILTERS: FilterTable = [
  ["abs", abs],
  ["round", round],
  ["int", toInt],
  ["float", toFloat],
  ["filesizeformat", filesizeformat],
];
