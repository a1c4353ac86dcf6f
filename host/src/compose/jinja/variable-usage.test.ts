import { describe, expect, it } from "vitest";
import { TemplateError } from "./template-error.ts";
import { variableUsage } from "./variable-usage.ts";

describe("the count of a template's variables", () => {
  it.each<[string, Record<string, number>]>([
    ["plain text", {}],
    ["{{ name }} {{ name|upper }} {{ user.name }}", { name: 2, user: 1 }],
    [
      "{% for x in xs if x > low %}{{ loop.index }}{{ x }}{% else %}{{ none_left }}{% endfor %}{{ x }}",
      { xs: 1, low: 1, none_left: 1, x: 1 },
    ],
    ["{% set name = name|trim %}{{ name }}{{ name }}", { name: 1 }],
    ["{% if a %}{% set b = 1 %}{% endif %}{{ b }}", { a: 1, b: 1 }],
    [
      "{% macro m(p, q=dflt) %}{{ p }}{{ q }}{{ out }}{{ varargs }}{% endmacro %}{{ m(arg) }}",
      { dflt: 1, out: 1, arg: 1 },
    ],
    ["{% call(i) show(list) %}{{ i }}{{ j }}{% endcall %}", { show: 1, list: 1, j: 1 }],
    ["{% with a = b %}{{ a }}{{ c }}{% endwith %}", { b: 1, c: 1 }],
    ["{% set t | replace(old, '') %}{{ x }}{% endset %}{{ t }}", { old: 1, x: 1 }],
    ["{% from tpl import f as g %}{% import 'm' as m %}{{ g(1) }}{{ m.f() }}{{ f }}", { tpl: 1, f: 1 }],
    ["{% set ns = namespace(n=start) %}{% set ns.n = ns.n + step %}{{ range(n) }}", { start: 1, step: 1, n: 1 }],
    [
      "{{ a[b:c] }}{{ {'k': v, d: 1} }}{{ f(x, *y, k=z, **w) }}{{ a is divisibleby b }}",
      { a: 2, b: 2, c: 1, v: 1, d: 1, f: 1, x: 1, y: 1, z: 1, w: 1 },
    ],
    ["{% raw %}{{ no }}{% endraw %}{# {{ no }} #}{{ 'no' }}", {}],
    ["{% block b %}{{ super() }}{{ in_block }}{% endblock %}{% include inc ignore missing %}", { in_block: 1, inc: 1 }],
  ])("is right for %s", (text, expected) => {
    expect(variableUsage(text)).toEqual(expected);
  });

  it("counts a variable whose name is a member of every object", () => {
    expect(Object.entries(variableUsage("{{ __proto__ }}{{ constructor }}{{ constructor }}"))).toEqual([
      ["__proto__", 1],
      ["constructor", 2],
    ]);
  });

  it("goes through an expression of any length", () => {
    expect(variableUsage(`{{ ${Array.from({ length: 5000 }, () => "a").join("+")} }}`)).toEqual({ a: 5000 });
  });

  it("says where a text does not parse", () => {
    expect(() => variableUsage("a\n{{ b | }}")).toThrow(TemplateError);
    expect(() => variableUsage("a\n{{ b | }}")).toThrow("line 2");
  });
});
