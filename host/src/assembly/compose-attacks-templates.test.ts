/** Templates, rules and configs that would take for ever, fill the memory or look where they may not: each ends, and only it. */
import { expect, test, vi } from "vitest";
import { startAttacked, type Attacked } from "./compose-attacked-for-tests.ts";

vi.setConfig({ testTimeout: 60_000 });

/** By what must be said of each. */
const ENDLESS: Readonly<Record<string, readonly string[]>> = {
  "Template stopped: ": [
    "{% for i in range(100000) %}{% for j in range(100000) %}{% endfor %}{% endfor %}",
    "{% for i in range(1000000000) %}{% endfor %}",
    "{% macro m() %}{{ m() }}{% endmacro %}{{ m() }}",
    "{% macro m(n) %}{{ m(n) }}{{ m(n) }}{% endmacro %}{{ m(1) }}",
    "{% macro a() %}{{ b() }}{% endmacro %}{% macro b() %}{{ a() }}{% endmacro %}{{ a() }}",
    "{% include 'self.md' %}",
    "{% import 'importer.md' as x %}",
    "{% extends 'one.md' %}",
    "{% for i in range(100000) %}{% include 'n' ~ i ignore missing %}{% endfor %}",
    "{% set ns = namespace(s=[1]) %}{% for i in range(60) %}{% set ns.s = ns.s + ns.s %}{% endfor %}",
    "{% set ns = namespace(s=[1]) %}{% for i in range(60) %}{% set ns.s = [ns.s, ns.s] %}{% endfor %}{{ ns.s }}",
    "{% set ns = namespace(s=[1]) %}{% for i in range(60) %}{% set ns.s = [ns.s, ns.s] %}{% endfor %}{{ ns.s|tojson }}",
    "{% set ns = namespace(s=[1]) %}{% for i in range(90000) %}{% set ns.s = [ns.s] %}{% endfor %}{{ ns.s }}",
    "{% for i in range(1000) %}{{ range(100000)|sort|length }}{% endfor %}",
    "{{ range(10)|slice(1000000000)|list }}",
    "{{ (10 ** 300) ** 300 }}",
    `{{ 1${"+1".repeat(1_000_000)} }}`,
  ],
  "Template syntax error: it is nested more than ": [
    `{{ ${"(".repeat(100_000)}1${")".repeat(100_000)} }}`,
    `{{ ${"not ".repeat(100_000)}1 }}`,
    "{% if 1 %}".repeat(100_000),
  ],
  "The text has more than ": [
    "{{ 'a' * 1000000000 }}",
    "{{ 'a'|center(1000000000) }}",
    "{{ '%1000000000d'|format(1) }}",
    "{{ '{:1000000000}'.format(1) }}",
    "{{ ('a' * 100000)|replace('', 'b' * 100000) }}",
    "{{ range(100000)|join('b' * 100000) }}",
    "{% set ns = namespace(s='a') %}{% for i in range(100) %}{% set ns.s = ns.s + ns.s %}{% endfor %}",
    "{% for i in range(100000) %}{{ 'a' * 1000 }}{% endfor %}",
  ],
  "Template refused: a template may not look up ": [
    "{{ ''.constructor.constructor('return process')() }}",
    "{{ x.__proto__ }}",
    "{{ x['constructor'] }}",
    "{{ x['const' ~ 'ructor'] }}",
    "{{ x|attr('prototype') }}",
    "{{ [x]|map(attribute='__proto__')|list }}",
    "{{ [x]|groupby('constructor') }}",
    "{{ [x]|sort(attribute='y.__proto__') }}",
  ],
  "Undefined variable in template: ": [
    "{{ ''.__class__.__mro__[1].__subclasses__() }}",
    "{{ lipsum.__globals__ }}",
    "{{ process.env }}",
    "{{ globalThis.process }}",
    "{{ require('fs') }}",
    "{{ config.items() }}",
  ],
};

const open = async (): Promise<Attacked> => {
  const attacked = await startAttacked();
  attacked.write("templates/self.md", "x{% include 'self.md' %}");
  attacked.write("templates/importer.md", "{% import 'importer.md' as x %}");
  attacked.write("templates/one.md", "{% extends 'two.md' %}");
  attacked.write("templates/two.md", "{% extends 'one.md' %}");
  return attacked;
};

const render = async ({ content, call }: Attacked, template: string) => {
  content("nasty", { type: "jinja2", template });
  return call("generate_content", { content_config_id: "nasty", context: { x: { y: {} } }, force: true });
};

test.each(Object.entries(ENDLESS))("templates of which it is said: %s", async (said, templates) => {
  const attacked = await open();
  for (const template of templates) {
    const { code, message } = await render(attacked, template);
    expect([template.slice(0, 80), message]).toEqual([template.slice(0, 80), expect.stringContaining(said)]);
    expect(code).toBe(said.startsWith("The text") ? "content_too_large" : "generation_failed");
  }
  const { answer } = await attacked.call("query_ephemeral_storage", {});
  expect(answer.total).toBe(0);
  await attacked.lives();
});

test("while templates run for ever, others are rendered and the host answers", async () => {
  const attacked = await open();
  const loop = "{{".repeat(4_000_000);
  for (const id of ["slow-a", "slow-b"]) attacked.content(id, { type: "jinja2", template: loop });
  attacked.content("quick", { type: "jinja2", template: "{{ 1 + 1 }}" });
  const slow = Promise.all(
    ["slow-a", "slow-b"].map((id) => attacked.call("generate_content", { content_config_id: id })),
  );
  await attacked.lives();
  expect(await attacked.call("generate_content", { content_config_id: "quick" })).toMatchObject({
    answer: { content: "2" },
  });
  expect((await slow).map(({ code }) => code)).toEqual(Array(2).fill("generation_failed"));
});

test("includes stay below templates/, whatever they are called", async () => {
  const attacked = await open();
  attacked.write("plain.md", "beside templates");
  const names = [
    "../secret.txt",
    "/etc/passwd",
    "../plain.md",
    "..\\secret.txt",
    "a/../../secret.txt",
    "file:///etc/passwd",
  ];
  for (const name of [...names, `${attacked.outside}/secret.txt`, "templates/../../secret.txt"])
    for (const tag of [
      `{% include '${name.replaceAll("\\", "\\\\")}' %}`,
      `{% set n = '${name.replaceAll("\\", "\\\\")}' %}{% include n %}`,
      `{% extends '${name.replaceAll("\\", "\\\\")}' %}`,
    ])
      expect([tag, (await render(attacked, tag)).code]).toEqual([tag, "generation_failed"]);
  for (const template of ["../secret.txt", "/etc/passwd", "..", "~/.ssh/id_rsa", `${attacked.outside}/secret.txt`])
    expect([template, (await render(attacked, template)).code]).toEqual([template, "generation_failed"]);
});

/** A text and rules that a backtracking engine, or a naive search, would still be at. */
test("rules of a caller or a config cannot keep the host busy", async () => {
  const attacked = await startAttacked();
  attacked.write("long.txt", "a".repeat(4_000_000));
  attacked.content("long", { type: "template_fill", template: "{{ s }}" }, SOURCE);
  expect((await attacked.call("generate_content", { content_config_id: "long" })).code).toBe("success");
  const times = (count: number, rule: object): object[] => Array.from({ length: count }, () => rule);
  const middle = `${"a".repeat(200_000)}b${"a".repeat(200_000)}`;
  const rules: readonly (readonly [object[], string])[] = [
    [times(100, { type: "pattern", config: { regex: "^(a+)+$|b" } }), "takes too much work"],
    [times(100, { type: "pattern", config: { regex: "(a|aa|a?)+b" } }), "takes too much work"],
    [times(100, { type: "pattern", config: { regex: "((a{1,30}){1,30})b" } }), "takes too much work"],
    [
      times(100, { type: "pattern", config: { regex: `${"(\\p{L}|".repeat(200)}x${")".repeat(200)}` } }),
      "takes too much work",
    ],
    [times(1, { type: "pattern", config: { regex: "(?=a)b" } }), "no regular expression"],
    [times(1, { type: "required_fields", config: { fields: [middle] } }), "more than 100 characters"],
    [
      times(99, { type: "required_fields", config: { fields: times(900, {}).map((_, i) => `q${i}`) } }),
      "takes too much work",
    ],
  ];
  for (const [validation_rules, said] of rules) {
    const { answer } = await attacked.call("validate_content", { content_or_config_id: "long", validation_rules });
    const last = answer.issues.at(-1);
    expect([said, last.code, last.message]).toEqual([said, "invalid_rule", expect.stringContaining(said)]);
  }
  const lengths = times(100, { type: "length", config: { min: 4_000_001 } });
  const told = await attacked.call("validate_content", { content_or_config_id: "long", validation_rules: lengths });
  expect(told.answer.error_count).toBe(100);

  const elements = Array.from({ length: 50_000 }, () => ({ name: "b" }));
  const own = (check: object) => times(5_000, { id: "r", severity: "error", check_config: {}, ...check });
  for (const check of [
    { check_type: "presence", target: "elements.none" },
    { check_type: "syntax", target: "metadata.description", check_config: { format: "yaml" } },
  ]) {
    attacked.content("ruled", null, { elements, validation: { rules: own(check) } });
    const { answer } = await attacked.call("validate_content", { content_or_config_id: "ruled" });
    expect(answer.issues.at(-1)).toMatchObject({
      code: "invalid_rule",
      message: expect.stringContaining("too much work"),
    });
  }
});

const SOURCE = { inputs: { sources: [{ id: "s", source_type: "external_file", source_locator: "long.txt" }] } };

test("what the caller or a config has in it is data, and its size is bounded", async () => {
  const attacked = await startAttacked();
  attacked.content("t", { type: "jinja2", template: "{{ a }}|{{ polluted }}|{{ x }}" });
  const generate = (context: unknown) =>
    attacked.call("generate_content", { content_config_id: "t", context, force: true });
  const own = JSON.parse('{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":2}},"a":"ok"}') as object;
  expect((await generate(own)).answer.content).toBe("ok||");
  expect((await generate('{"__proto__":{"a":"through"}}')).answer.content).toBe("||");
  expect(Object.hasOwn(Object.prototype, "polluted")).toBe(false);
  const updates = JSON.parse('{"__proto__":{"polluted":1},"metadata":{"__proto__":{"polluted":1}}}') as object;
  await attacked.call("modify_config", { config_id: "t", updates });
  expect(({} as { polluted?: unknown }).polluted).toBeUndefined();

  const refused = async (context: unknown): Promise<string> => (await generate(context)).code;
  expect(await refused({ f: { source: "file", path: "../secret.txt" } })).toBe("invalid_context");
  expect(await refused({ f: { source: "file", path: "configs/content/t/t-content.json" } })).toBe("invalid_context");
  expect(await refused({ f: { source: "config", id: "t" } })).toBe("invalid_context");
  expect(await refused('{"f":{"source":"file","path":"/etc/passwd"}}')).toBe("invalid_context");
  for (const context of ["[1]", "nonsense", 7, [1], true]) expect(await refused(context)).toBe("invalid_context");
  expect(await refused(`{"a":${"[".repeat(50_000)}${"]".repeat(50_000)}}`)).toBe("invalid_context");
  let deep: object = {};
  for (let level = 0; level < 1_000; level++) deep = { deep };
  expect(await refused(deep)).toBe("bad_request");
  expect(await refused({ x: "y".repeat(10_000_000) })).toBe("too_large");
  // A file that is named inside is not at the top, and so is a value like any other.
  expect((await generate({ x: { f: { source: "file", path: "../secret.txt" } } })).code).toBe("success");
  await attacked.lives();
});

test("a config with a great many parts takes no longer than its parts do", async () => {
  const attacked = await startAttacked();
  const numbers = Array.from({ length: 90_000 }, (_, at) => at);
  const variables = numbers.map((at) => ({ name: `v${at}`, source: `elements.e${at}.example_output` }));
  const elements = numbers.map((at) => ({ name: `e${at}`, example_output: "x" }));
  attacked.content("many", { type: "demonstration", template: "{{v0}}{{v89999}}", variables }, { elements });
  expect((await attacked.call("generate_content", { content_config_id: "many" })).answer.content).toBe("xx");

  attacked.write("long.txt", "a".repeat(6_000_000));
  const sources = numbers
    .slice(0, 20_000)
    .map((at) => ({ id: `s${at}`, source_type: "external_file", source_locator: "long.txt", required: false }));
  attacked.content("taker", { type: "jinja2", template: "{{ s0|length }} {{ s19999 }}" }, { inputs: { sources } });
  const { answer } = await attacked.call("preview_generation", { content_config_id: "taker" });
  expect(answer.content).toBe("6000000 None");
});
