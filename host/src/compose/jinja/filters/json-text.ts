/** A value as Python's json.dumps writes it with sorted keys: ", " and ": " between, only ASCII. */
import type { Budget } from "../values/budget.ts";
import { compare } from "../values/compare.ts";
import { floatText } from "../values/float-text.ts";
import { TemplateError } from "../template-error.ts";
import { typeName } from "../values/type-name.ts";
import { Dict, isList, textOf, Tuple, type Value } from "../values/values.ts";

const quoteJson = (text: string): string =>
  JSON.stringify(text).replaceAll(
    /[\u007f-\uffff]/g,
    (mark) => `\\u${mark.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );

const floatJson = (value: number): string =>
  Number.isNaN(value) ? "NaN" : Number.isFinite(value) ? floatText(value) : value < 0 ? "-Infinity" : "Infinity";

const scalarJson = (value: Value): string | null => {
  const text = textOf(value);
  if (text !== null) return quoteJson(text);
  if (value === null) return "null";
  if (typeof value === "boolean") return value ? "true" : "false";
  if (typeof value === "bigint") return value.toString();
  return typeof value === "number" ? floatJson(value) : null;
};

const keyJson = (key: Value): string => {
  if (textOf(key) !== null) return scalarJson(key)!;
  const scalar = scalarJson(key);
  if (scalar === null) throw new TemplateError("runtime", `a key of JSON cannot be of type ${typeName(key)}`);
  return `"${scalar}"`;
};

/** `indent` null: on one line. */
export const jsonText = (value: Value, indent: string | null, budget: Budget): string => {
  const write = (at: Value, margin: string): string => {
    budget.spendWork(textOf(at)?.length ?? 0);
    const scalar = scalarJson(at);
    if (scalar !== null) return budget.text(scalar);
    budget.enter();
    const text = container(at, margin);
    budget.leave();
    return text;
  };
  const enclose = (open: string, parts: readonly string[], margin: string): string => {
    const close = open === "[" ? "]" : "}";
    if (parts.length === 0) return open + close;
    // What stands between may be long, and is the caller's.
    if (indent !== null) budget.spendText((margin.length + indent.length + 1) * (parts.length + 1));
    const inside =
      indent === null ? parts.join(", ") : `${margin}${indent}${parts.join(`,${margin}${indent}`)}${margin}`;
    return budget.text(`${open}${inside}${close}`);
  };
  const container = (at: Value, margin: string): string => {
    const inner = indent === null ? margin : margin + indent;
    if (isList(at))
      return enclose(
        "[",
        at.map((item) => write(item, inner)),
        margin,
      );
    if (at instanceof Tuple)
      return enclose(
        "[",
        at.items.map((item) => write(item, inner)),
        margin,
      );
    if (!(at instanceof Dict))
      throw new TemplateError("runtime", `Object of type ${typeName(at)} is not JSON serializable`);
    budget.spend(at.size);
    const entries = Array.from(at.entries()).toSorted(([a], [b]) => compare(a, b, budget));
    return enclose(
      "{",
      entries.map(([key, member]) => `${keyJson(key)}: ${write(member, inner)}`),
      margin,
    );
  };
  return write(value, "\n");
};
