/** Filters that write for the web: JSON, queries, attributes, links. */
import { bindArgs } from "../values/args.ts";
import type { Runtime } from "./runtime.ts";
import { escapeText, escapeValue } from "../values/escape-value.ts";
import { type Filter, type FilterTable, textFor } from "./filter.ts";
import { isTrue, iterableOf, iterate, listOf } from "../values/iterate.ts";
import { jsonText } from "./json-text.ts";
import { prettyText } from "./pretty-text.ts";
import { TemplateError } from "../template-error.ts";
import { linkText } from "./link-text.ts";
import { Dict, Markup, numberOf, textOf, Undefined, type Value } from "../values/values.ts";

const HTML_SAFE: Readonly<Record<string, string>> = { "<": "\\u003c", ">": "\\u003e", "&": "\\u0026", "'": "\\u0027" };

const tojson: Filter = (value, args, engine) => {
  const [indent = null] = bindArgs(args, "tojson", ["indent"]);
  const number = indent === null ? null : numberOf(indent);
  const margin =
    indent === null ? null : (textOf(indent) ?? " ".repeat(Math.min(100, Math.max(0, Number(number ?? 0)))));
  const json = jsonText(value, margin, engine.budget);
  return new Markup(engine.budget.text(json.replaceAll(/[<>&']/g, (mark) => HTML_SAFE[mark]!)));
};

/** Everything but letters, digits and `_.-~` as bytes. */
const quote = (text: string, inQuery: boolean): string => {
  const quoted = encodeURIComponent(text.toWellFormed()).replaceAll(
    /[!'()*]/g,
    (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return inQuery ? quoted.replaceAll("%20", "+") : quoted.replaceAll("%2F", "/");
};

const pairsIn = (dict: Dict, { budget }: Runtime): readonly (readonly Value[])[] => {
  budget.spend(dict.size);
  return Array.from(dict.entries());
};

const urlencode: Filter = (value, args, engine) => {
  bindArgs(args, "urlencode", []);
  const { budget } = engine;
  if (textOf(value) !== null || iterableOf(value, budget) === null) {
    return budget.text(quote(textFor(value, engine), false));
  }
  const pairs =
    value instanceof Dict ? pairsIn(value, engine) : Array.from(iterate(value, budget), (pair) => listOf(pair, budget));
  const parts = pairs.map((pair) => {
    const [key, member] = pair;
    if (key === undefined || member === undefined || pair.length > 2)
      throw new TemplateError("runtime", "urlencode needs pairs");
    return `${quote(textFor(key, engine), true)}=${quote(textFor(member, engine), true)}`;
  });
  return budget.text(parts.join("&"));
};

const xmlattr: Filter = (value, args, engine) => {
  const [autospace = true] = bindArgs(args, "xmlattr", ["autospace"]);
  if (value instanceof Undefined) throw new TemplateError("undefined", value.reason);
  if (!(value instanceof Dict)) throw new TemplateError("runtime", "xmlattr needs a mapping");
  const parts: string[] = [];
  for (const [key, member] of value.entries()) {
    if (member === null || member instanceof Undefined) continue;
    const name = textFor(key, engine);
    if (/[\s/>=]/u.test(name)) throw new TemplateError("runtime", `Invalid character in attribute name: '${name}'`);
    parts.push(`${escapeText(name)}="${escapeMember(member, engine)}"`);
  }
  const text = engine.budget.text(parts.join(" "));
  return isTrue(autospace) && text !== "" ? ` ${text}` : text;
};

const escapeMember = (value: Value, engine: Runtime): string => escapeValue(value, engine.budget).text;

const urlize: Filter = (value, args, engine) => {
  const names = ["trim_url_limit", "nofollow", "target", "rel", "extra_schemes"];
  const [limit = null, nofollow = false, target = null, rel = null, schemes = null] = bindArgs(args, "urlize", names);
  const rels = new Set((rel === null ? "" : textFor(rel, engine)).split(/\s+/u).filter((one) => one !== ""));
  if (isTrue(nofollow)) rels.add("nofollow");
  rels.add("noopener");
  const number = limit === null ? null : numberOf(limit);
  const escaped = escapeMember(value, engine);
  // Each word is tried as an address of several kinds.
  engine.budget.spend(escaped.length);
  const text = linkText(escaped, {
    limit: number === null ? null : Number(number),
    rel: [...rels].toSorted().join(" "),
    target: target === null ? null : textFor(target, engine),
    schemes: schemes === null ? [] : listOf(schemes, engine.budget).map((one) => textFor(one, engine)),
  });
  return engine.budget.text(text);
};

export const WEB_FILTERS: FilterTable = [
  ["tojson", tojson],
  ["urlencode", urlencode],
  ["xmlattr", xmlattr],
  ["urlize", urlize],
  ["pprint", (value, args, engine) => (bindArgs(args, "pprint", []), prettyText(value, engine.budget))],
];
