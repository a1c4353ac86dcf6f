/** Python's `"{} of {:>5}".format(…)`. A field may look into its value by name or index, never at attributes. */
import type { Budget } from "./budget.ts";
import type { Put } from "./escape-value.ts";
import { formatFloat, formatInt, type NumberFormat, padNumber, padText, spendPrecision } from "./format-number.ts";
import { printValue, reprValue } from "./print-value.ts";
import { TemplateError } from "../template-error.ts";
import { typeName } from "./type-name.ts";
import { type Args, Dict, isList, textOf, Tuple, type Value } from "./values.ts";

const SPEC = /^(?:(.)?([<>=^]))?([-+ ])?(#)?(0)?(\d+)?([,_])?(?:\.(\d+))?([a-zA-Z%])?$/su;
const STEP = /^(?:\.([^.[]+)|\[([^\]]+)\])/u;

const MAX_SPEC = 1_000;

const fail = (reason: string): TemplateError => new TemplateError("runtime", reason);

const withSpec = (value: Value, spec: string, budget: Budget): string => {
  if (spec === "") return printValue(value, budget);
  const match = SPEC.exec(spec);
  if (match === null) throw fail("Invalid format specifier");
  const [, fill, align, sign, alternate, zero, width, grouping, precision, type] = match;
  const padding = {
    width: Number(width ?? 0),
    align: (align ?? (zero === undefined ? null : "=")) as "<" | ">" | "^" | "=" | null,
    fill: fill ?? (zero === undefined ? " " : "0"),
  };
  const text = textOf(value);
  if (text !== null) {
    if ((type ?? "s") !== "s") throw fail(`Unknown format code '${type}' for object of type 'str'`);
    if (sign !== undefined || grouping !== undefined || align === "=")
      throw fail("that format is for numbers, not for a string");
    if (precision !== undefined) budget.spendWork(text.length);
    const cut = precision === undefined ? text : Array.from(text).slice(0, Number(precision)).join("");
    return padText(cut, { ...padding, align: padding.align === "=" ? "<" : (padding.align ?? "<") }, budget);
  }
  const format: NumberFormat = {
    type: type ?? "",
    precision: precision === undefined ? null : Number(precision),
    alternate: alternate !== undefined,
    plus: sign === "+" || sign === " " ? sign : "",
    grouping: (grouping ?? "") as "" | "," | "_",
  };
  spendPrecision(format.precision, budget);
  return padNumber(numberText(value, format), { ...padding, align: padding.align ?? ">" }, budget);
};

const numberText = (value: Value, format: NumberFormat): ReturnType<typeof formatInt> => {
  const number = typeof value === "boolean" ? (value ? 1n : 0n) : value;
  const { type } = format;
  if (typeof number === "bigint" && (type === "" || "bdoxXn".includes(type))) {
    if (format.precision !== null) throw fail("Precision not allowed in integer format specifier");
    return formatInt(number, format);
  }
  if (typeof number === "bigint" && type === "c" && number >= 0n && number <= 0x10ffffn)
    return { sign: "", prefix: "", digits: String.fromCodePoint(Number(number)) };
  const isNumber = typeof number === "bigint" || typeof number === "number";
  if (!isNumber) throw fail(`unsupported format string passed to ${typeName(value)}.__format__`);
  if (type !== "" && !"eEfFgGn%".includes(type)) {
    throw fail(`Unknown format code '${type}' for object of type '${typeName(value)}'`);
  }
  return formatFloat(Number(number), format);
};

interface Run {
  readonly args: Args;
  readonly budget: Budget;
  readonly put: Put;
  automatic: number;
}

const argument = (run: Run, name: string): Value => {
  let key = name;
  if (key === "") {
    key = `${run.automatic}`;
    run.automatic += 1;
  }
  const value = /^\d+$/.test(key) ? run.args.positional[Number(key)] : run.args.named.get(key);
  if (value === undefined) throw fail(`the format names '${key}', which is not among its values`);
  return value;
};

const member = (of: Value, key: string, budget: Budget): Value => {
  const isIndex = /^\d+$/.test(key);
  budget.spendWork(key.length + (textOf(of)?.length ?? 0));
  const items = isList(of) ? of : of instanceof Tuple ? of.items : Array.from(textOf(of) ?? "");
  const found = of instanceof Dict ? of.get(isIndex ? BigInt(key) : key) : isIndex ? items[Number(key)] : undefined;
  if (found === undefined) throw fail(`the format names '${key}', which is not in its value`);
  return found;
};

const resolve = (run: Run, field: string): Value => {
  const name = /^[^.[]*/u.exec(field)![0];
  let value = argument(run, name);
  let rest = field.slice(name.length);
  while (rest !== "") {
    const step = STEP.exec(rest);
    if (step === null) throw fail("a field of the format cannot be read");
    if (step[1] !== undefined)
      throw new TemplateError("refused", "a format looks into its values with [name], not with a dot");
    value = member(value, step[2]!, run.budget);
    rest = rest.slice(step[0].length);
  }
  return value;
};

/** A spec is short: one that is not is refused before it is put together. */
const fillSpec = (run: Run, spec: string): string => {
  let length = spec.length;
  return spec.replaceAll(/\{([^{}]*)\}/g, (_, nested: string) => {
    const text = printValue(resolve(run, nested), run.budget);
    length += text.length;
    if (length > MAX_SPEC) throw fail("Invalid format specifier");
    return text;
  });
};

const formatOne = (run: Run, inside: string): string => {
  const [, field = "", conversion, spec = ""] = /^([^!:]*)(?:!([^:]*))?(?::(.*))?$/su.exec(inside) ?? [];
  const value = resolve(run, field);
  const filled = fillSpec(run, spec);
  if (conversion === undefined && filled === "") return printValue(run.put(value), run.budget);
  if (conversion === undefined) return printValue(run.put(withSpec(value, filled, run.budget)), run.budget);
  if (conversion !== "s" && conversion !== "r") throw fail(`Unknown conversion specifier '${conversion}'`);
  const converted = conversion === "s" ? printValue(value, run.budget) : reprValue(value, run.budget);
  return printValue(run.put(withSpec(converted, filled, run.budget)), run.budget);
};

/** Where the field that begins at this position ends. */
const fieldEnd = (template: string, from: number): number => {
  let open = 1;
  for (let at = from; at < template.length; at += 1) {
    if (template[at] === "{") open += 1;
    else if (template[at] === "}") open -= 1;
    if (open === 0) return at;
  }
  throw fail("expected '}' before end of string");
};

export const formatBraces = (template: string, args: Args, { budget, put }: Pick<Run, "budget" | "put">): string => {
  const run: Run = { args, budget, put, automatic: 0 };
  let text = "";
  for (let at = 0; at < template.length; at += 1) {
    const mark = template[at]!;
    if ((mark === "{" || mark === "}") && template[at + 1] === mark) at += 1;
    else if (mark === "}") throw fail("Single '}' encountered in format string");
    else if (mark === "{") {
      const end = fieldEnd(template, at + 1);
      text += budget.text(formatOne(run, template.slice(at + 1, end)));
      if (text.length > budget.maxText) budget.spendText(text.length);
      at = end;
      continue;
    }
    text += mark;
  }
  return budget.text(text);
};
