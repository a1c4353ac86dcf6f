import { describe, expect, it } from "vitest";
import { usesJinjaBlocks, usesJinjaExpression } from "./uses-jinja.ts";

describe("a text that only Jinja2 can fill", () => {
  it.each([
    ["{% if a %}b{% endif %}", true],
    ["a {# note #}", true],
    ["{{ name }}", false],
    ["100 % {done}", false],
    ["{{#if}}", true],
  ])("has a statement or a comment: %s", (text, expected) => {
    expect(usesJinjaBlocks(text)).toBe(expected);
  });

  it.each([
    ["Dear {{ name }}", false],
    ["{{name}} {{ user.address.city }}", false],
    ["{{}} {{  }}", false],
    ["{{{ name }}}", false],
    ["{ name }", false],
    ["{{ name", false],
    ["{{ name|upper }}", true],
    ["{{ name() }}", true],
    ["{{ xs[0] }}", true],
    ["{{ a + b }}", true],
    ["{{ -a }}", true],
    ["{{ 'text' }}", true],
    ["{{ 5 }}", true],
    ["{{- name -}}", true],
    ["{{ a }} and {{ b|e }}", true],
    ["{{ {'a': {'b': 1}}['a'] }}", true],
    ["{{ two words }}", true],
    ["{{\tname }}", false],
    ["{{ name\n}}", true],
    ["{{ \n }}", false],
    ["{{ a }} }} {{", false],
  ])("has more than a name between its braces: %s", (text, expected) => {
    expect(usesJinjaExpression(text)).toBe(expected);
  });
});
