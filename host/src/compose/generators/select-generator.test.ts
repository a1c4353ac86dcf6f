import { describe, expect, it } from "vitest";
import type { GenerationPattern } from "../configs/config-types.ts";
import { contentConfig, patternConfig } from "../configs/configs-for-tests.ts";
import { usesJinjaBlocks, usesJinjaExpression } from "../jinja/uses-jinja.ts";
import { BUILT_IN_GENERATORS } from "./built-in-generators.ts";
import { choosePattern } from "./choose-pattern.ts";
import { SELECTION_STRATEGY } from "./selection-strategy.ts";
import { selectGenerator, SELECTION_RULES, type SelectionPorts } from "./select-generator.ts";

const ports: SelectionPorts = {
  known: new Set([...BUILT_IN_GENERATORS.map(({ type }) => type), "mine"]),
  usesJinjaBlocks,
  usesJinjaExpression,
};

const example = { elements: [{ name: "a" }, { name: "b", example_output: "x" }] };

describe("the generator of a config", () => {
  it.each<[Partial<GenerationPattern>, object, string, string]>([
    [{ type: "mine", template: "{% if a %}" }, example, "mine", "explicit_type"],
    [{ type: "template_fill", template: "{% if a %}" }, {}, "template_fill", "explicit_type"],
    [{ template: "{% if a %}{{ a }}" }, example, "jinja2", "jinja_block"],
    [{ template: "{# note #}" }, {}, "jinja2", "jinja_block"],
    [{ template: "{{ a|upper }}" }, example, "jinja2", "jinja_expression"],
    [{ template: "{{ a.b }}" }, example, "template_fill", "placeholder"],
    [{ template: "{{" }, {}, "template_fill", "placeholder"],
    [{ template: "plain" }, example, "demonstration", "example_output"],
    [{}, example, "demonstration", "example_output"],
    [{ template: "plain" }, {}, "jinja2", "fallback"],
  ])("%j is chosen by the first rule that fires", (pattern, over, type, rule) => {
    expect(selectGenerator(patternConfig(pattern, { ...over }), ports)).toMatchObject({ type, rule });
  });

  it("is found for a config without any pattern", () => {
    expect(selectGenerator(contentConfig(example), ports)).toEqual({
      type: "demonstration",
      rule: "example_output",
      confidence: "medium",
    });
    expect(selectGenerator(contentConfig(), ports)).toEqual({ type: "jinja2", rule: "fallback", confidence: "low" });
  });

  it.each(["jinja", "", "constructor"])(
    "that it names and there is not, %j, is refused: no other is chosen",
    (type) => {
      const config = patternConfig({ type, template: "{{a}}" });
      expect(() => selectGenerator(config, ports)).toThrow(
        expect.objectContaining({
          code: "generator_not_found",
          details: expect.objectContaining({ available: expect.arrayContaining(["jinja2"]), next: expect.any(String) }),
        }),
      );
    },
  );

  it("takes an example that is null for none, as the generator does", () => {
    const of = (example_output: unknown) =>
      selectGenerator(contentConfig({ elements: [{ name: "a", example_output }] }), ports).rule;
    expect([of(null), of(undefined), of(""), of(0)]).toEqual([
      "fallback",
      "fallback",
      "example_output",
      "example_output",
    ]);
  });

  it("takes the first pattern of its own type, or the first one that has none", () => {
    const [plain, filled, other] = [{ id: "a" }, { id: "b", type: "mine" }, { id: "c", type: "mine" }];
    const of = (...patterns: GenerationPattern[]) => choosePattern(contentConfig({ generation: { patterns } }), "mine");
    expect(of(plain, filled, other)).toBe(filled);
    expect(of(plain)).toBe(plain);
    expect(of({ id: "x", type: "jinja2" }, plain)).toBeNull();
    expect(of()).toBeNull();
  });
});

describe("the table of generators", () => {
  it("has the five, each with its own way to be found and a place to read about it", () => {
    expect(BUILT_IN_GENERATORS.map(({ type }) => type)).toEqual([
      "jinja2",
      "template_fill",
      "demonstration",
      "bdd_scenario_assembly",
      "code_generation",
    ]);
    for (const { type, docs_uri, indicators } of BUILT_IN_GENERATORS) {
      expect(docs_uri).toBe(`generator://${type}`);
      expect(indicators.config_values ?? [type]).toEqual([type]);
    }
  });

  it("says of the model's one alone that it needs something", () => {
    const needy = BUILT_IN_GENERATORS.filter(({ upstream_dependencies: needs }) => needs !== null);
    expect(needy.map(({ type, requirements }) => [type, requirements.env_vars])).toEqual([
      ["code_generation", ["ANTHROPIC_API_KEY"]],
    ]);
  });

  it("and the rules speak of generators that there are", () => {
    const types = SELECTION_RULES.flatMap(({ type }) => type ?? []);
    expect(types.filter((type) => !ports.known.has(type))).toEqual([]);
    expect(SELECTION_STRATEGY.rules.map(({ id }) => id)).toEqual(SELECTION_RULES.map(({ id }) => id));
    expect(SELECTION_STRATEGY.rules.at(-1)?.generator).toBe(SELECTION_STRATEGY.fallback);
  });
});
