import { describe, expect, it } from "vitest";
import type { GenerationPattern } from "../configs/config-types.ts";
import { contentConfig, patternConfig } from "../configs/configs-for-tests.ts";
import { demonstration } from "./demonstration.ts";
import { runForTests } from "./run-for-tests.ts";

const elements = [
  { name: "intro", description: "How it begins", example_output: "Hello $& \\n {{x}}" },
  { name: "data", example_output: { a: [1] } },
  { name: "empty" },
  { name: "part.two", example_output: "Two" },
];
const run = (pattern: Partial<GenerationPattern>): string =>
  runForTests(demonstration, patternConfig(pattern, { elements }), { type: "demonstration", context: { x: "called" } });
const show = (template: string, ...variables: NonNullable<GenerationPattern["variables"]>): string =>
  run({ template, variables });

describe("examples", () => {
  it("stand one after another, with one blank line between them, where there is no template", () => {
    expect(run({})).toBe('Hello $& \\n {{x}}\n\n{"a":[1]}\n\nTwo');
  });

  it("are needed then", () => {
    expect(() => runForTests(demonstration, contentConfig(), { type: "demonstration" })).toThrow(/no element with an/);
  });

  it.each([
    ["elements.intro.example_output", "Hello $& \\n {{x}}"],
    ["elements.0.description", "How it begins"],
    ["elements.data.example_output", '{"a":[1]}'],
    ["elements.part.two.example_output", "Two"],
  ])("are found by %s and stand in the template as they are", (source, text) => {
    expect(show("[{{ v }}]", { name: "v", source })).toBe(`[${text}]`);
  });

  it("leave the template's other placeholders alone, and take nothing of the context", () => {
    expect(show("a\\nb\\tc\\rd {{x}} {{v}}", { name: "v", source: "elements.3.name" })).toBe(
      "a\nb\tc\\rd {{x}} part.two",
    );
  });

  it.each([
    "elements.nobody.name",
    "elements.9.name",
    "elements.empty.example_output",
    "intro",
    "elements.intro.toString",
  ])("that %s does not lead to are an error, unless there is a default", (source) => {
    expect(() => show("", { name: "v", source })).toThrow(`Cannot resolve variable 'v' from source '${source}'`);
    expect(show("{{v}}", { name: "v", source, default: 0 })).toBe("0");
  });
});
