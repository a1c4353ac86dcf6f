/** One number under a Python format: the type, the precision, the sign, the width. */
import type { Budget } from "./budget.ts";
import { exponentialText, fixedText, floatText, generalText } from "./float-text.ts";
import { characterCount } from "./iterate.ts";
import { TemplateError } from "../template-error.ts";

const MAX_PRECISION = 4000;

/** Digits are made by long division. */
export const spendPrecision = (precision: number | null, budget: Budget): void =>
  budget.spend(4 + Math.min(precision ?? 0, MAX_PRECISION) / 8);

export interface NumberFormat {
  readonly type: string;
  readonly precision: number | null;
  readonly alternate: boolean;
  /** What a number that is not negative begins with. */
  readonly plus: "" | "+" | " ";
  readonly grouping: "" | "," | "_";
}

export interface NumberText {
  readonly sign: string;
  readonly prefix: string;
  readonly digits: string;
}

const BASES: Readonly<Record<string, number>> = { b: 2, o: 8, x: 16, X: 16 };

const floatDigits = (value: number, { type, precision, alternate }: NumberFormat): string => {
  const size = Math.abs(value);
  if (!Number.isFinite(size)) return floatText(size);
  const places = precision ?? 6;
  if (places > MAX_PRECISION) throw new TemplateError("limit", `a format has a precision above ${MAX_PRECISION}`);
  if (type === "f") return fixedText(size, places) + (alternate && places === 0 ? "." : "");
  if (type === "e") return exponentialText(size, places);
  if (type === "%") return `${fixedText(size * 100, places)}%`;
  if (type === "g" || type === "n") return generalText(size, { precision: places, keepZeros: alternate });
  if (precision === null) return floatText(size);
  const text = generalText(size, { precision: places, keepZeros: false });
  return /[.e]/.test(text) ? text : `${text}.0`;
};

const group = (digits: string, mark: string, size: number): string => {
  const whole = /^[\da-f]+/i.exec(digits)?.[0] ?? "";
  const parts: string[] = [];
  for (let end = whole.length; end > 0; end -= size) parts.unshift(whole.slice(Math.max(0, end - size), end));
  return parts.join(mark) + digits.slice(whole.length);
};

/** `type` in small letters decides; a capital one makes capitals of the result. */
export const formatFloat = (value: number, format: NumberFormat): NumberText => {
  const type = format.type.toLowerCase();
  const made = floatDigits(value, { ...format, type });
  const grouped = format.grouping === "" || !Number.isFinite(value) ? made : group(made, format.grouping, 3);
  const negative = value < 0 || Object.is(value, -0);
  return {
    sign: negative ? "-" : format.plus,
    prefix: "",
    digits: format.type !== type ? grouped.toUpperCase() : grouped,
  };
};

export const formatInt = (value: bigint, format: NumberFormat): NumberText => {
  const base = BASES[format.type] ?? 10;
  const size = value < 0n ? -value : value;
  let digits = size.toString(base);
  if (format.grouping !== "") digits = group(digits, format.grouping, base === 10 ? 3 : 4);
  const prefix = format.alternate && base !== 10 ? `0${format.type}` : "";
  return { sign: value < 0n ? "-" : format.plus, prefix, digits: format.type === "X" ? digits.toUpperCase() : digits };
};

export interface Padding {
  readonly width: number;
  readonly align: "<" | ">" | "^" | "=";
  readonly fill: string;
}

export const padText = (text: string, { width, align, fill }: Padding, budget: Budget): string => {
  budget.spendText(Math.max(width, text.length));
  const missing = width - characterCount(text);
  if (missing <= 0) return text;
  if (align === "<") return text + fill.repeat(missing);
  if (align === "^") {
    const left = Math.floor(missing / 2);
    return fill.repeat(left) + text + fill.repeat(missing - left);
  }
  return fill.repeat(missing) + text;
};

/** Zeros go between sign and digits, all else before the sign. */
export const padNumber = (number: NumberText, padding: Padding, budget: Budget): string => {
  const lead = number.sign + number.prefix;
  if (padding.align !== "=") return padText(lead + number.digits, padding, budget);
  return lead + padText(number.digits, { ...padding, width: padding.width - lead.length }, budget);
};
