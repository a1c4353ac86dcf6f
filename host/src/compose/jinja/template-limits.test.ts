import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { renderTemplate } from "./render-template.ts";
import { TemplateError } from "./template-error.ts";

const MAX_BYTES = 100_000;

interface Outcome {
  readonly text: string;
  readonly fault: string | null;
}

const run = (
  text: string,
  context: Readonly<Record<string, unknown>> = {},
  files: Readonly<Record<string, string>> = {},
): Outcome => {
  try {
    const load = (name: string): string | null => (Object.hasOwn(files, name) ? files[name]! : null);
    return {
      text: renderTemplate({ text, context, load, limits: { fuel: 100_000, maxBytes: MAX_BYTES } }),
      fault: null,
    };
  } catch (error) {
    if (!(error instanceof TemplateError)) throw error;
    return { text: error.message, fault: error.fault };
  }
};

const grow = (step: string, start: string, end: string): string =>
  `{% set ns = namespace(v=${start}) %}{% for i in range(5000) %}{% set ns.v = ${step} %}{% endfor %}{{ ${end} }}`;

describe("a template that would not end", () => {
  it.each([
    ["in loops", "{% for a in range(99999) %}{% for b in range(99999) %}{% endfor %}{% endfor %}"],
    ["in a text that doubles", grow("ns.v ~ ns.v", "'x'", "ns.v")],
    ["in a sum of texts", grow("ns.v + ns.v", "'x'", "ns.v")],
    ["in a list that doubles", grow("ns.v + ns.v", "[1]", "ns.v")],
    ["in printing shared lists", grow("[ns.v, ns.v]", "[1]", "ns.v")],
    ["in comparing shared lists", grow("[[ns.v[0], ns.v[0]], [ns.v[1], ns.v[1]]]", "[[1], [1]]", "ns.v[0] == ns.v[1]")],
    ["in the JSON of shared lists", grow("[ns.v, ns.v]", "[1]", "ns.v|tojson")],
    ["in a key of shared tuples", grow("(ns.v, ns.v)", "(1,)", "{ns.v: 1}")],
    ["in a value that is deep", grow("[ns.v]", "1", "ns.v")],
    ["in a namespace within itself", "{% set ns = namespace() %}{% set ns.ns = ns %}{{ ns }}"],
    ["in a macro that calls itself", "{% macro m() %}{{ m() }}{% endmacro %}{{ m() }}"],
    ["in a block that asks for itself", "{% block b %}{{ self.b() }}{% endblock %}"],
    ["in a loop that asks for itself", "{% for x in [1] recursive %}{{ loop([1]) }}{% endfor %}"],
    ["in a file that includes itself", "{% include 'self' %}"],
    ["in a file that extends itself", "{% extends 'heir' %}"],
    ["in a number", grow("ns.v * ns.v", "9", "ns.v")],
    ["in a power", "{{ (9 ** 99) ** 9999 }}"],
    ["in repeated text", "{{ 'x' * 10 ** 12 }}"],
    ["in a repeated list", "{{ [1] * 10 ** 12 }}"],
    ["in a width", "{{ '%1000000000d' % 1 }}"],
    ["in a width of str.format", "{{ '{:1000000000}'.format(1) }}"],
    ["in a precision", "{{ '%.1000000000f' % 1.5 }}"],
    ["in centring", "{{ 'x'|center(10 ** 9) }}"],
    ["in filling a batch", "{{ [1]|batch(10 ** 9, 0)|list }}"],
    ["in slices", "{{ [1]|slice(10 ** 9)|list }}"],
    ["in a range", "{{ range(10 ** 9) }}"],
    ["in replacing nothing by much", "{{ ('a' * 1000).replace('', 'b' * 1000) }}"],
    ["in joining with much", "{{ range(1000)|join('b' * 1000) }}"],
    ["in a long sum", `{{ 1${" + 1".repeat(20_000)} }}`],
    ["in a long chain of filters", `{{ 1${"|abs".repeat(20_000)} }}`],
  ])("is stopped %s", (_, text) => {
    const files = { self: "{% include 'self' %}", heir: "{% extends 'heir' %}" };
    expect(run(text, {}, files)).toMatchObject({ fault: "limit" });
  });

  it.each([
    ["brackets", `{{ ${"(".repeat(50_000)}1${")".repeat(50_000)} }}`],
    ["nots", `{{ ${"not ".repeat(50_000)}1 }}`],
    ["signs", `{{ ${"-".repeat(50_000)}1 }}`],
    ["ifs", "{% if a %}".repeat(50_000)],
    ["targets", `{% set ${"(".repeat(50_000)}a${")".repeat(50_000)} = 1 %}`],
  ])("is not even parsed if it is too deep in %s", (_, text) => {
    expect(run(text)).toMatchObject({ fault: "syntax" });
  });

  it("is stopped when its context is without end", () => {
    const loop: Record<string, unknown> = {};
    loop["again"] = loop;
    expect(run("{{ d }}", { d: loop })).toMatchObject({ fault: "limit" });
  });

  it("is stopped at the bytes of its text, not its characters", () => {
    expect(run("{{ 'x' * 100000 }}").text.length).toBe(MAX_BYTES);
    expect(run("{{ '\u00e9' * 50001 }}")).toMatchObject({ fault: "limit" });
  });
});

const words = [
  "name",
  "xs",
  "d",
  "1",
  "'a'",
  "2.5",
  "loop.index",
  "none",
  "missing",
  "m",
  "range(3)",
  "[1, 'b']",
  "{'k': 1}",
];
const joints = [
  " + ",
  " - ",
  " * ",
  " ** ",
  " ~ ",
  " in ",
  " == ",
  " < ",
  " and ",
  " if ",
  " else ",
  "|",
  ".",
  "(",
  ")",
  "[",
  "]",
  ":",
  ", ",
  " is ",
  "%",
];
const names = [
  "upper",
  "join",
  "map",
  "sort",
  "first",
  "tojson",
  "format",
  "batch(2)",
  "list",
  "split()",
  "items()",
  "constructor",
  "even",
];
const tags = [
  "{{ ",
  " }}",
  "{{- ",
  " -}}",
  "{% ",
  " %}",
  "{%- ",
  " -%}",
  "{# ",
  " #}",
  "{% raw %}",
  "{% endraw %}",
  "\n",
  " text ",
];
const statements = [
  "for x in xs",
  "endfor",
  "if d",
  "else",
  "endif",
  "set q = xs",
  "macro m(a)",
  "endmacro",
  "include 'f'",
  "extends 'f'",
  "block b",
  "endblock",
];
const soup = fc
  .array(fc.constantFrom(...words, ...joints, ...names, ...tags, ...statements), { maxLength: 40 })
  .map((parts) => parts.join(""));
const printed = fc
  .array(fc.constantFrom(...words, ...joints, ...names), { maxLength: 12 })
  .map((parts) => `{{ ${parts.join("")} }}`);
const files = { f: "{% block b %}f{{ x }}{% endblock %}" };

describe("whatever a template holds", () => {
  it("there is a text within the limit or a TemplateError, and never anything else", () => {
    fc.assert(
      fc.property(fc.oneof(soup, printed, fc.string({ unit: "binary" })), fc.jsonValue(), (text, json) => {
        const outcome = run(text, { name: "Ann", xs: [3, 1, 2], d: json }, files);
        expect(outcome.fault !== null || Buffer.byteLength(outcome.text) <= MAX_BYTES).toBe(true);
      }),
      { numRuns: 1500 },
    );
  });

  it("the same comes out twice, and it leaves its context and the prototypes as they were", () => {
    const context = Object.freeze({ name: "Ann", xs: Object.freeze([3, 1, 2]), d: Object.freeze({ k: "v" }) });
    const before = Object.getOwnPropertyNames(Object.prototype).join(" ");
    fc.assert(
      fc.property(fc.oneof(soup, printed), (text) => {
        expect(run(text, context, files)).toEqual(run(text, context, files));
      }),
      { numRuns: 500 },
    );
    expect(Object.getOwnPropertyNames(Object.prototype).join(" ")).toBe(before);
  });

  it("text without marks comes out as it is, but for line ends", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), (text) => {
        fc.pre(!/\{[{%#]/.test(text));
        expect(run(text).text).toBe(text.replaceAll(/\r\n|\r/g, "\n").replace(/\n$/, ""));
      }),
    );
  });

  it("a string prints as it is, whatever is in it", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (value) => {
        expect(run("[{{ v }}]", { v: value }).text).toBe(`[${value}]`);
      }),
    );
  });
});
