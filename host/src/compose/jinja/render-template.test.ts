import { describe, expect, it } from "vitest";
import { renderTemplate, type TemplateInput } from "./render-template.ts";
import { TemplateError } from "./template-error.ts";

const render = (
  text: string,
  context: TemplateInput["context"] = {},
  files: Readonly<Record<string, string>> = {},
): string =>
  renderTemplate({
    text,
    context,
    load: (name) => (Object.hasOwn(files, name) ? files[name]! : null),
    limits: { fuel: 1_000_000, maxBytes: 1_000_000 },
  });

const errorOf = (...args: Parameters<typeof render>): TemplateError => {
  try {
    render(...args);
  } catch (error) {
    if (error instanceof TemplateError) return error;
    throw error;
  }
  throw new Error("it gave a text");
};

describe("an error in a template", () => {
  it("names the variable that is undefined, and the line", () => {
    expect(errorOf("Hello\n{{ user.name }}").message).toBe(
      "Undefined variable in template: 'user' is undefined (line 2)",
    );
    expect(errorOf("{{ user.address.city }}", { user: {} }).message).toBe(
      "Undefined variable in template: 'dict object' has no attribute 'address' (line 1)",
    );
  });

  it("names the line of a syntax error", () => {
    expect(errorOf("a\n\n{% if x %}\n{{ 1 + }}{% endif %}").message).toContain(
      "Template syntax error: unexpected 'end of",
    );
    expect(errorOf("a\n\n{% if x %}\n{{ 1 + }}{% endif %}").place).toEqual({ line: 4, template: null });
  });

  it("names the file that it is in", () => {
    const files = { "part.md": "one\n{{ missing.x }}", "macros.md": "{% macro m() %}\n{{ 1 / 0 }}{% endmacro %}" };
    expect(errorOf("{% include 'part.md' %}", {}, files).place).toEqual({ line: 2, template: "part.md" });
    expect(errorOf("{% from 'macros.md' import m %}\n\n{{ m() }}", {}, files).message).toBe(
      "Template failed: division by zero (line 2 of macros.md)",
    );
    expect(errorOf("{% include 'part.md' ignore missing %}", {}, { "part.md": "{{ ) }}" }).fault).toBe("syntax");
  });

  it("is on the line after a macro again when the macro is done", () => {
    expect(errorOf("{% macro m() %}\n\nx{% endmacro %}\n{{ m() ~ missing.x }}").place?.line).toBe(4);
  });

  it("names the template that is not there", () => {
    expect(errorOf("{% include 'no.md' %}").message).toBe("Template not found: no.md (line 1)");
  });

  it("does not quote a text without end", () => {
    expect(errorOf("{{ d['x' * 100000].y }}", { d: {} }).message.length).toBeLessThan(1200);
  });
});

describe("templates that are loaded", () => {
  it.each(["../secret", "/etc/passwd", "a/../b", "a//b", "./a", "a\\b", "C:x", "a\0b", ""])(
    "are never asked for by a name that leads elsewhere: %j",
    (name) => {
      const asked: string[] = [];
      const text = "{% include name ignore missing %}ok";
      const load = (one: string): null => {
        asked.push(one);
        return null;
      };
      const made = renderTemplate({ text, context: { name }, load, limits: { fuel: 1000, maxBytes: 1000 } });
      expect([made, asked]).toEqual(["ok", []]);
    },
  );

  it("are read once", () => {
    const asked: string[] = [];
    const load = (name: string): string => {
      asked.push(name);
      return "x";
    };
    const text = "{% for i in range(3) %}{% include 'dir/a.md' %}{% endfor %}";
    expect(renderTemplate({ text, context: {}, load, limits: { fuel: 1000, maxBytes: 1000 } })).toBe("xxx");
    expect(asked).toEqual(["dir/a.md"]);
  });
});

describe("the values of a template", () => {
  it.each(["constructor", "prototype", "__proto__"])("refuse the look-up of %s in every way there is", (name) => {
    const ways = [`d.${name}`, `d['${name}']`, `d|attr('${name}')`, `[d]|map(attribute='${name}')|list`, `'x'.${name}`];
    for (const way of ways) expect(errorOf(`{{ ${way} }}`, { d: {} }).fault).toBe("refused");
  });

  it("have none of what JavaScript gives to objects", () => {
    const names = Object.getOwnPropertyNames(Object.prototype).filter(
      (name) => name !== "constructor" && name !== "__proto__",
    );
    for (const name of names) {
      expect(render(`{{ d.${name} }}{{ ${name} }}{{ xs['${name}'] }}{{ 'a'['${name}'] }}`, { d: {}, xs: [] })).toBe("");
    }
    expect(render("{{ xs.map }}{{ xs.push }}{{ 'a'.at }}{{ (1).toFixed }}", { xs: [1] })).toBe("");
  });

  it("leave out functions and what else is no JSON", () => {
    expect(
      render("{{ f }}|{{ d }}|{{ xs }}", { f: () => 1, d: { g: () => 1, u: undefined, a: 1 }, xs: [() => 1] }),
    ).toBe("|{'a': 1}|[None]");
  });

  it("can have any name of their own that is no way out", () => {
    const context = JSON.parse('{"d": {"toString": 1, "valueOf": 2}, "hasOwnProperty": 3, "prototype": 4}');
    expect(render("{{ d.toString }}{{ d.valueOf }}{{ hasOwnProperty }}{{ prototype }}", context)).toBe("1234");
  });

  it("are the caller's no more: nothing the template does reaches them", () => {
    const context = { xs: [1, 2], d: { a: 1 } };
    render("{% set xs = xs + [3] %}{% set d = dict(d, b=2) %}{{ xs }}{{ d }}", context);
    expect(context).toEqual({ xs: [1, 2], d: { a: 1 } });
  });

  it("print whole numbers as whole numbers and others as Python does", () => {
    expect(render("{{ a }} {{ b }} {{ c }} {{ d }} {{ e }}", { a: 1, b: -0, c: 0.1, d: 1e21, e: 1e-7 })).toBe(
      "1 0 0.1 1e+21 1e-07",
    );
  });
});
