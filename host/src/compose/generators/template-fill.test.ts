import fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import { patternConfig } from "../configs/configs-for-tests.ts";
import { runForTests } from "./run-for-tests.ts";
import { templateFill } from "./template-fill.ts";

const fill = (template: string, context: object = {}, settings: object = {}): string =>
  runForTests(templateFill, patternConfig({ template, generation_config: { ...settings } }), {
    type: "template_fill",
    context: context as Record<string, unknown>,
  });

describe("a template with named blanks", () => {
  it.each([
    ["Dear {{name}},", { name: "Ann" }, "Dear Ann,"],
    ["{{ name }}{{\tname\t}}", { name: "x" }, "xx"],
    ["{{a.b.c}}", { a: { b: { c: "deep" } } }, "deep"],
    ["{{_a1}}", { _a1: "x" }, "x"],
    ["{{n}} {{t}} {{l}} {{o}}", { n: 0, t: true, l: [1, "a"], o: { a: { b: 1.5 } } }, '0 true [1,"a"] {"a":{"b":1.5}}'],
    ["{{e}}.", { e: "" }, "."],
    // What is no placeholder is text.
    ["{{a b}} {{1a}} {{}} {{a|upper}} { {a} } {{a", { a: 1 }, "{{a b}} {{1a}} {{}} {{a|upper}} { {a} } {{a"],
    ["{{{a}}}", { a: 1 }, "{1}"],
    ["{%{{a}}%}", { a: 1 }, "{%1%}"],
    // A value is no template, no pattern and has no escapes.
    ["{{a}}", { a: "{{b}}", b: 1 }, "{{b}}"],
    ["{{a}}", { a: "$& $1 $$ $`" }, "$& $1 $$ $`"],
    ["{{a}}", { a: "C:\\new\\table\\'x" }, "C:\\new\\table\\'x"],
    ["a\\nb\\tc\\rd\\'e\\\"f\\\\g", {}, "a\nb\tc\rd'e\"f\\g"],
    ["\\\\n\\x\\{{a}}n", { a: 1 }, "\\n\\x\\1n"],
  ])("%j with %j becomes %j", (template, context, text) => {
    expect(fill(template, context)).toBe(text);
  });

  it.each([
    ["x", { b: 1, a: 2 }, "Undefined variable: 'x'. Available variables: a, b"],
    ["a.x", { a: { b: 1 } }, "Undefined variable: 'a.x'. Available variables: a"],
    ["a.0", { a: [1] }, "Undefined variable: 'a.0'. Available variables: a"],
    ["a.length", { a: "text" }, "Undefined variable: 'a.length'. Available variables: a"],
    ["a", { a: null, b: 0 }, "Undefined variable: 'a'. Available variables: b"],
    ["constructor", { a: 1 }, "Undefined variable: 'constructor'. Available variables: a"],
    ["__proto__", { a: 1 }, "Undefined variable: '__proto__'. Available variables: a"],
    ["a.__proto__", { a: {} }, "Undefined variable: 'a.__proto__'. Available variables: a"],
    ["a.__proto__.toString", { a: {} }, "Undefined variable: 'a.__proto__.toString'. Available variables: a"],
    ["x", {}, "Undefined variable: 'x'. Available variables: none"],
  ])("without a value for %s is an error", (name, context, message) => {
    expect(() => fill(`{{${name}}}`, context)).toThrow(expect.objectContaining({ code: "generation_failed", message }));
  });

  it("may keep what has no value, or leave it out", () => {
    expect(fill("{{ a }}{{b}}", { b: 1 }, { undefined_behavior: "keep" })).toBe("{{ a }}1");
    expect(fill("{{ a }}{{b}}", { b: 1 }, { undefined_behavior: "empty" })).toBe("1");
    expect(() => fill("x", {}, { undefined_behavior: "strict" })).toThrow(/Invalid undefined_behavior: "strict"/);
  });

  it("takes the config's context, and the caller's before it", () => {
    expect(fill("{{a}}{{b}}", { b: "called" }, { context: { a: "own", b: "own" } })).toBe("owncalled");
  });

  it("that would become too large is refused before it is written", () => {
    const value = "x".repeat(1_000_000);
    const run = () =>
      runForTests(templateFill, patternConfig({ template: "{{a}}".repeat(100_000) }), {
        type: "template_fill",
        context: { a: value },
      });
    expect(run).toThrow(
      expect.objectContaining({
        code: "content_too_large",
        message: "The text would have 11000000 bytes or more; at most 10000000 are allowed.",
        details: { size: 11_000_000, limit: 10_000_000, at_least: true },
      }),
    );
  });

  it("that names one value in many ways is refused before they are all written", () => {
    let value: object = { text: "x".repeat(1_000_000) };
    for (let depth = 0; depth < 100; depth++) value = { a: value };
    const written = vi.spyOn(JSON, "stringify");
    const template = Array.from({ length: 100 }, (_, depth) => `{{s${".a".repeat(depth)}}}`).join("");
    const run = () =>
      runForTests(templateFill, patternConfig({ template }), { type: "template_fill", context: { s: value } });
    expect(run).toThrow(expect.objectContaining({ code: "content_too_large" }));
    expect(written.mock.calls.length).toBeLessThan(12);
    written.mockRestore();
  });

  it.each([
    ["a list", Array.from({ length: 3_000 }, () => 1)],
    ["an object", Object.fromEntries(Array.from({ length: 1_000 }, (_, at) => [`key${at}`, null]))],
    ["long strings", [{ a: ["x".repeat(6_000)] }]],
  ])("is refused without the JSON of %s that cannot fit", (_, value) => {
    const written = vi.spyOn(JSON, "stringify");
    const run = () =>
      runForTests(templateFill, patternConfig({ template: "{{v}}" }), {
        type: "template_fill",
        context: { v: value },
        maxBytes: 3_000,
      });
    expect(run).toThrow(expect.objectContaining({ code: "content_too_large" }));
    expect(written).not.toHaveBeenCalled();
    written.mockRestore();
  });

  it("may be exactly as large as is allowed, whatever its values are", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        fc.pre(value !== null && typeof value !== "string");
        const text = JSON.stringify(value);
        const most = Buffer.byteLength(text);
        const made = (maxBytes: number): string =>
          runForTests(templateFill, patternConfig({ template: "{{v}}" }), {
            type: "template_fill",
            context: { v: value },
            maxBytes,
          });
        expect(made(most)).toBe(text);
        expect(() => made(most - 1)).toThrow(/bytes or more/);
      }),
    );
  });

  it("counts bytes, not characters", () => {
    const config = patternConfig({ template: "ää" });
    expect(runForTests(templateFill, config, { type: "template_fill", maxBytes: 4 })).toBe("ää");
    expect(() => runForTests(templateFill, config, { type: "template_fill", maxBytes: 3 })).toThrow(
      /would have 4 bytes/,
    );
  });

  it("is needed", () => {
    expect(() => runForTests(templateFill, patternConfig({}), { type: "template_fill" })).toThrow(/has no template/);
  });

  it("gives any value back as it was", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), fc.string(), (value, around) => {
        const text = around.replaceAll(/[\\{}]/g, "");
        expect(fill(`${text}{{v}}${text}`, { v: value })).toBe(text + value + text);
      }),
    );
  });
});
