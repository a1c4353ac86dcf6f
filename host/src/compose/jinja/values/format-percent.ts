/** Python's `"%s of %d" % values`, also the filter `format`. */
import type { Budget } from "./budget.ts";
import { type Put, putInto } from "./escape-value.ts";
import { formatFloat, formatInt, type NumberFormat, padNumber, padText, spendPrecision } from "./format-number.ts";
import { printValue, reprValue } from "./print-value.ts";
import { TemplateError } from "../template-error.ts";
import { typeName } from "./type-name.ts";
import { Dict, isList, Markup, numberOf, Range, textOf, Tuple, Undefined, type Value } from "./values.ts";

const FIELD = /(?:\(([^)]*)\))?([-+ #0]*)(\*|\d+)?(?:\.(\*|\d+)?)?[hlL]?(.)/suy;
const FLOATS = "eEfFgG";

const fail = (reason: string): TemplateError => new TemplateError("runtime", reason);

/** Hands out the values in their order, or by name. */
class Values {
  readonly #value: Value;
  readonly #items: readonly Value[];
  #used = 0;

  constructor(value: Value) {
    this.#value = value;
    this.#items = value instanceof Tuple ? value.items : [value];
  }

  next(): Value {
    const value = this.#items[this.#used];
    if (value === undefined) throw fail("not enough arguments for format string");
    this.#used += 1;
    return value;
  }

  named(name: string): Value {
    if (!(this.#value instanceof Dict)) throw fail("format requires a mapping");
    const value = this.#value.get(name);
    if (value === undefined) throw fail(`the format names '${name}', which is not among its values`);
    return value;
  }

  count(written: string | undefined): number | null {
    if (written === undefined) return null;
    const value = written === "*" ? this.next() : BigInt(written);
    if (typeof value !== "bigint") throw fail("* wants int");
    return Number(value);
  }

  finish(): void {
    const value = this.#value;
    // Python asks only whether the value could be looked into by name, and lists pass.
    if (value instanceof Dict || isList(value) || value instanceof Undefined || value instanceof Range) return;
    if (this.#used < this.#items.length) throw fail("not all arguments converted during string formatting");
  }
}

interface Field {
  readonly flags: string;
  readonly width: number;
  readonly precision: number | null;
  readonly type: string;
  readonly put: Put;
}

const numberText = (value: Value, field: Field): ReturnType<typeof formatInt> => {
  const number = numberOf(value);
  if (value instanceof Undefined) throw new TemplateError("undefined", value.reason);
  if (number === null) throw fail(`%${field.type} format: a real number is required, not ${typeName(value)}`);
  const format: NumberFormat = {
    type: field.type,
    precision: field.precision,
    alternate: field.flags.includes("#"),
    plus: field.flags.includes("+") ? "+" : field.flags.includes(" ") ? " " : "",
    grouping: "",
  };
  if (FLOATS.includes(field.type)) return formatFloat(Number(number), format);
  if (typeof number === "number" && (!Number.isFinite(number) || !"diu".includes(field.type))) {
    throw fail(`%${field.type} format: an integer is required, not float`);
  }
  const text = formatInt(BigInt(typeof number === "number" ? Math.trunc(number) : number), format);
  return field.precision === null
    ? text
    : { ...text, digits: text.digits.padStart(Math.min(field.precision, 4000), "0") };
};

const characterOf = (value: Value): string => {
  if (typeof value === "bigint" && value >= 0n && value <= 0x10ffffn) return String.fromCodePoint(Number(value));
  const text = textOf(value);
  if (text === null || text.length > 2 || Array.from(text).length !== 1) throw fail("%c requires int or char");
  return text;
};

const formatField = (value: Value, field: Field, budget: Budget): string => {
  const left = field.flags.includes("-");
  if ("diuoxXeEfFgG".includes(field.type)) {
    spendPrecision(field.precision, budget);
    const zero = field.flags.includes("0") && !left;
    return padNumber(
      numberText(value, field),
      { width: field.width, align: left ? "<" : zero ? "=" : ">", fill: zero ? "0" : " " },
      budget,
    );
  }
  if (!"srac".includes(field.type)) throw fail(`unsupported format character '${field.type}'`);
  const given = field.type === "c" ? characterOf(value) : field.type === "s" ? value : reprValue(value, budget);
  const whole = printValue(field.put(given), budget);
  if (field.precision !== null) budget.spendWork(whole.length);
  const text = field.precision === null ? whole : Array.from(whole).slice(0, field.precision).join("");
  return padText(text, { width: field.width, align: left ? "<" : ">", fill: " " }, budget);
};

/** Markup stays markup: what is put into it is escaped. */
export const formatPercent = (into: string | Markup, value: Value, budget: Budget): string | Markup => {
  const template = into instanceof Markup ? into.text : into;
  const put = putInto(into, budget);
  const values = new Values(value);
  let text = "";
  let from = 0;
  for (let at = template.indexOf("%"); at >= 0; at = template.indexOf("%", from)) {
    FIELD.lastIndex = at + 1;
    const match = FIELD.exec(template);
    if (match === null) throw fail("incomplete format");
    const [whole, name, flags = "", written, precision, type = ""] = match;
    text += template.slice(from, at);
    from = at + 1 + whole.length;
    const width = values.count(written) ?? 0;
    const dotted = whole.slice(0, -type.length).includes(".", name === undefined ? 0 : name.length + 2);
    const places = dotted ? (values.count(precision) ?? 0) : null;
    if (type === "%") text += "%";
    else {
      const given = name === undefined ? values.next() : values.named(name);
      const left = width < 0 ? `${flags}-` : flags;
      text += formatField(given, { flags: left, width: Math.abs(width), precision: places, type, put }, budget);
    }
    if (text.length > budget.maxText) budget.spendText(text.length);
  }
  values.finish();
  const made = budget.text(text + template.slice(from));
  return into instanceof Markup ? new Markup(made) : made;
};
