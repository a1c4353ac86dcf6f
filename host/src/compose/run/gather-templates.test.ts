import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Templates } from "../workbench.ts";
import { gatherTemplates } from "./gather-templates.ts";
import { includedNames } from "./included-names.ts";

interface Place {
  readonly gather: (template: string) => Promise<Templates>;
  readonly read: string[];
}

/** By path from the first root. */
const placeWith = (files: Readonly<Record<string, string>>): Place => {
  const read: string[] = [];
  const at = (path: string): Promise<string | null> => {
    read.push(path);
    return Promise.resolve(Object.hasOwn(files, path) ? files[path]! : null);
  };
  const template = async (name: string): Promise<string | null> => (await at(`templates/${name}`)) ?? at(name);
  return { gather: (text) => gatherTemplates(text, { read: at, template }), read };
};

describe("a template of a config", () => {
  it.each(["{{x}}", "{%raw%}x{%endraw%}", "{#x#}", "two words", "line\n", ""])(
    "is its own text if it is %j",
    async (text) => {
      const { gather, read } = placeWith({});
      expect(await gather(text)).toEqual({ text, files: new Map(), isOpen: false });
      expect(read).toEqual([]);
    },
  );

  it("is a file below templates, or else below the root", async () => {
    const { gather } = placeWith({ "templates/a.md": "in templates", "a.md": "in the root", "b.md": "only there" });
    expect((await gather("a.md")).text).toBe("in templates");
    expect((await gather("b.md")).text).toBe("only there");
  });

  it("that is not there is named", async () => {
    await expect(placeWith({}).gather("nope.md")).rejects.toMatchObject({
      code: "generation_failed",
      message: "Template not found: nope.md",
    });
  });
});

describe("what a template includes", () => {
  it("is gathered through all files, each once, and only below templates", async () => {
    const { gather, read } = placeWith({
      "templates/base": "{% include 'head' %}{% block b %}{% endblock %}",
      "templates/head": '{%- include "base" -%}',
      "templates/macros": "m",
      "only-in-root": "no",
    });
    const text =
      "{% extends 'base' %}{% import 'macros' as m %}{% if x %}{% include ['gone', 'head'] %}{% endif %}{% include 'only-in-root' ignore missing %}";
    const { files, isOpen } = await gather(text);
    expect([...files.keys()].toSorted()).toEqual(["base", "head", "macros"]);
    expect(isOpen).toBe(false);
    expect(read).not.toContain("only-in-root");
    expect(read.length).toBe(new Set(read).size);
  });

  it.each(["{% include name %}", "{% include 'a' ~ b %}", "{% include '%}' %}", "{% extends x if y else 'b' %}"])(
    "is open where only running it tells: %s",
    async (text) => {
      expect((await placeWith({}).gather(text)).isOpen).toBe(true);
    },
  );

  it("is open where a file that it includes is", async () => {
    expect((await placeWith({ "templates/a": "{% include b %}" }).gather("{% include 'a' %}")).isOpen).toBe(true);
  });

  it("is both of two names where one is chosen", () => {
    expect(includedNames("{% extends 'a' if x else 'b' %}")).toEqual({ names: ["a", "b"], isOpen: false });
  });

  it.each(["../secret", "/etc/passwd", "a/../../x", "a\\b", "workspace://x", "a\u0000b"])(
    "is never read as %j",
    async (name) => {
      const { gather, read } = placeWith({});
      await gather(`{% include ${JSON.stringify(name)} %}`);
      expect(read).toEqual([]);
    },
  );

  it("is refused where it is too many or too much", async () => {
    const files = Object.fromEntries(
      Array.from({ length: 200 }, (_, n) => [`templates/n${n}`, `{% include 'n${n + 1}' %}`]),
    );
    await expect(placeWith(files).gather("{% include 'n0' %}")).rejects.toThrow("more than 100 templates");
    const large = { "templates/a": "x".repeat(6_000_000), "templates/b": "x".repeat(6_000_000) };
    await expect(placeWith(large).gather("{% include 'a' %}{% include 'b' %}")).rejects.toThrow(
      "more than 10000000 bytes",
    );
  });

  it("costs little to find in a large text", () => {
    const text = "{% if a %}{{ b }}{% include 'x' %}{% endif %}".repeat(100_000);
    expect(includedNames(text)).toEqual({ names: ["x"], isOpen: false });
  });

  it("is found in any text, whatever else it holds", () => {
    const bits = fc.constantFrom(
      "{%",
      "%}",
      "{% include 'a' %}",
      "{%- include",
      "'a'",
      " extends ",
      "{{",
      "}}",
      "{#",
      "\n",
    );
    fc.assert(
      fc.property(fc.array(bits, { maxLength: 20 }), (parts) => {
        const { names } = includedNames(parts.join(""));
        expect(names.every((name) => parts.join("").includes(name))).toBe(true);
      }),
    );
  });
});
