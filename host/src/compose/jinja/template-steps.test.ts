import { describe, expect, it } from "vitest";
import { FILTERS } from "./filters/filters.ts";
import { VALUE_TESTS } from "./filters/value-tests.ts";
import { renderTemplate } from "./render-template.ts";
import { TemplateError } from "./template-error.ts";
import { STRING_METHODS } from "./values/string-methods.ts";

const TIMES = 4_000;
/** Enough for that often of anything that looks at little, far from enough where it costs by the size of the value. */
const FUEL = 200_000;
const SIZE = 20_000;

const keyed = (value: (at: number) => unknown): object =>
  Object.fromEntries(Array.from({ length: SIZE }, (_, at) => [`k${at}`, value(at)]));

const CONTEXT = {
  text: "a ".repeat(SIZE),
  word: "a".repeat(SIZE),
  blank: " ".repeat(SIZE),
  list: Array.from({ length: SIZE }, (_, at) => at),
  same: Array.from({ length: SIZE }, (_, at) => at),
  words: Array.from({ length: SIZE }, (_, at) => `w${at}`),
  pairs: Array.from({ length: SIZE }, (_, at) => [at, at]),
  rows: Array.from({ length: SIZE }, (_, at) => ({ a: at })),
  few: ["A".repeat(SIZE), "B".repeat(SIZE)],
  big: keyed((at) => at),
  twin: keyed((at) => at),
};

const faultOf = (expression: string): string | null => {
  const text =
    "{% macro all() %}{% set k = kwargs %}{% set v = varargs %}{% endmacro %}" +
    `{% for i in range(${TIMES}) %}{% set x = ${expression} %}{% endfor %}`;
  // What it does not name would only have to be taken over.
  const context = Object.fromEntries(Object.entries(CONTEXT).filter(([name]) => expression.includes(name)));
  try {
    renderTemplate({ text, context, load: () => null, limits: { fuel: FUEL, maxBytes: 10_000_000 } });
    return null;
  } catch (error) {
    if (error instanceof TemplateError) return error.message;
    throw error;
  }
};

/** On a large value; null: it looks at none, however large. */
const OF_FILTERS: Readonly<Record<string, string | null>> = {
  attr: "text|attr(text)",
  upper: "text|upper",
  lower: "text|lower",
  capitalize: "text|capitalize",
  title: "text|title",
  trim: "blank|trim",
  center: "'x'|center(20000)",
  indent: "text|indent",
  truncate: "text|truncate(10000)",
  wordwrap: "text|wordwrap",
  wordcount: "text|wordcount",
  replace: "text|replace('a', 'b')",
  format: "text|format()",
  striptags: "text|striptags",
  string: "text|string",
  safe: "text|safe",
  escape: "text|escape",
  e: "text|e",
  forceescape: "text|forceescape",
  sort: "list|sort",
  dictsort: "big|dictsort",
  groupby: "pairs|groupby(0)",
  unique: "few|unique|list",
  min: "few|min",
  max: "few|max",
  first: "big|first",
  last: "list|last",
  reverse: "text|reverse",
  length: "text|length",
  count: "text|count",
  batch: "list|batch(9)|list",
  slice: "list|slice(9)|list",
  list: "big|list",
  abs: null,
  round: "(0.1)|round(4000)",
  int: "text|int",
  float: "text|float",
  filesizeformat: "('1' ~ blank)|filesizeformat",
  map: "list|map('abs')|list",
  select: "list|select|list",
  reject: "list|reject|list",
  selectattr: "rows|selectattr('a')|list",
  rejectattr: "rows|rejectattr('a')|list",
  join: "words|join",
  sum: "list|sum",
  items: "big|items|list",
  default: null,
  d: null,
  tojson: "text|tojson",
  urlencode: "text|urlencode",
  xmlattr: "{'a': text}|xmlattr",
  urlize: "text|urlize",
  pprint: "text|pprint",
};

const CHEAP_TESTS = new Set(
  "defined undefined none boolean true false integer float number string mapping sequence callable escaped sameas".split(
    " ",
  ),
);
const OF_TESTS: Readonly<Record<string, string>> = {
  iterable: "big is iterable",
  lower: "text is lower",
  upper: "text is upper",
  odd: "((9 ** 4000) * 9) is odd",
  even: "((9 ** 4000) * 9) is even",
  divisibleby: "((9 ** 4000) * 9) is divisibleby(3)",
  in: "'z' is in(text)",
  filter: "(text ~ i) is filter",
  test: "(text ~ i) is test",
};

const OF_METHODS: Readonly<Record<string, string>> = {
  startswith: "(text)",
  endswith: "(text)",
  find: "('z', 1)",
  rfind: "('z', 1)",
  index: "('a', 1)",
  rindex: "('a', 1)",
  count: "('z', 1)",
  removeprefix: "('a')",
  removesuffix: "('a')",
  ljust: "(30000)",
  rjust: "(30000)",
  center: "(30000)",
  zfill: "(30000)",
  replace: "('a', 'b')",
  join: "(['a', 'b'])",
  partition: "('z')",
  rpartition: "('z')",
};

const OTHERS = [
  "dict(big)",
  "dict(pairs)",
  "dict(**big)",
  "namespace(big)",
  "namespace(**big)",
  "all(**big)",
  "all(*list)",
  "cycler(*list)",
  "big.items()",
  "big.keys()",
  "big.values()",
  "big.get(text ~ i)",
  "big[text ~ i]",
  "list.count(1)",
  "list.index(19999)",
  "text[7]",
  "text[1:]",
  "list[1:]",
  "list + list",
  "list * 2",
  "text * 2",
  "'z' in text",
  "'z' in words",
  "(text ~ i) in big",
  "{text ~ i: 1}",
  "{(text, i): 1}",
  "big == twin",
  "list == same",
  "list < same",
  "text < (text ~ 'a')",
  "few|sort",
  "few|groupby(0)",
  "'%s' % text",
  "'%.3s' % text",
  "'%r' % text",
  "'%.4000f' % 0.1",
  "'{}'.format(text)",
  "'{0[3]}'.format(text)",
  "'{:.3}'.format(text)",
  "'{:.4000f}'.format(0.1)",
  "[1, 2]|tojson(text)",
  "[1]|map(attribute=text)|list",
  "word.find('b' ~ 'a' * 500)",
];

const STOPPED = `Template stopped: it takes more than ${FUEL} steps (line 1)`;

describe("work on a large value is counted by its size", () => {
  const methods = [...STRING_METHODS.keys()].map((name) => `text.${name}${OF_METHODS[name] ?? "()"}`);
  const tests = [...VALUE_TESTS.keys()].filter((name) => !CHEAP_TESTS.has(name));
  const testOf = (name: string): string =>
    OF_TESTS[name] ??
    (/^\w+$/.test(name) ? `few is ${name}(['A' * 20000])` : `['A' * 20000]|select('${name}', few[0])|list`);

  it.each(Object.values(OF_FILTERS).filter((each) => each !== null))("in the filter %s", (expression) => {
    expect(faultOf(expression)).toBe(STOPPED);
  });
  it.each(methods)("in the method %s", (expression) => {
    expect(faultOf(expression)).toBe(STOPPED);
  });
  it.each(tests.map(testOf))("in the test %s", (expression) => {
    expect(faultOf(expression)).toBe(STOPPED);
  });
  it.each(OTHERS)("in %s", (expression) => {
    expect(faultOf(expression)).toBe(STOPPED);
  });

  it("in all filters that there are", () => {
    expect(Object.keys(OF_FILTERS).toSorted()).toEqual([...FILTERS.keys()].toSorted());
  });

  it.each(["1 + 1", "text|default(1)", "big is mapping", "list[3]", "big['k1']", "big.k1", "range(9) == range(9)"])(
    "and little work is not: %s",
    (expression) => {
      expect(faultOf(expression)).toBeNull();
    },
  );
});

describe("what is long between short things", () => {
  it.each([
    ["the margin of JSON", "list|tojson('x' * 1000000)"],
    ["the margin under a long key", "{'x' * 1000000: list[:40]}|pprint"],
    ["a format in a format", "('{0:' ~ '{1}' * 10000 ~ '}').format(1, 'x' * 100000)"],
  ])("is not put together before it is counted: %s", (_, expression) => {
    expect(faultOf(expression)).toMatch(/it makes a text longer than|Invalid format specifier/);
  });
});
