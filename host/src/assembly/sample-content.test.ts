import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { checkConfig } from "../compose/configs/check-config.ts";
import type { ContentConfig } from "../compose/configs/config-types.ts";
import { bddScenarioAssembly } from "../compose/generators/bdd-scenario-assembly.ts";
import { BUILT_IN_GENERATORS } from "../compose/generators/built-in-generators.ts";
import { demonstration } from "../compose/generators/demonstration.ts";
import type { Generate } from "../compose/generators/generation.ts";
import { runForTests } from "../compose/generators/run-for-tests.ts";
import { templateFill } from "../compose/generators/template-fill.ts";
import { renderTemplate } from "../compose/jinja/render-template.ts";
import { sampleContent, type SampleOrder } from "./sample-content.ts";

const jinja2: Generate = ({ pattern, context, maxBytes }) =>
  renderTemplate({
    text: pattern?.template ?? "",
    context,
    load: () => null,
    limits: { fuel: 1_000_000, maxBytes },
  });

const checked = (order: SampleOrder): ContentConfig => {
  const { config } = sampleContent(order);
  expect(checkConfig("content", config, () => order.type)).toEqual({ errors: [], warnings: [] });
  return config as unknown as ContentConfig;
};

describe("the sample of a generator that comes with the host", () => {
  test.each(BUILT_IN_GENERATORS.map(({ type, requirements }) => [type, requirements.fields] as const))(
    "%s is valid, has what it requires and nothing that is not used",
    (type, fields) => {
      const { generation, elements } = checked({ type, fields });
      expect(generation?.patterns?.[0]?.type).toBe(type);
      expect(sampleContent({ type, fields }).unmet).toEqual([]);
      for (const field of fields) {
        const place = { generation, elements };
        const steps = field.replace("elements[]", "elements[0]").match(/\w+/g) ?? [];
        const value = steps.reduce<unknown>((at, step) => (at as Record<string, unknown> | undefined)?.[step], place);
        expect([field, value === undefined]).toEqual([field, false]);
      }
    },
  );

  test.each<[type: string, generate: Generate, text: string]>([
    ["jinja2", jinja2, "# A sample\n\n1. ONE\n2. TWO"],
    ["template_fill", templateFill, "Dear Ada,\n\nthis is a sample."],
    ["demonstration", demonstration, "This is a sample."],
    [
      "bdd_scenario_assembly",
      bddScenarioAssembly,
      "@sample\nFeature: A sample\n\nScenario: A text is made\n  Given a config\n  When its generator is tested\n  Then there is a text",
    ],
  ])("%s becomes a text without a context", (type, generate, text) => {
    expect(runForTests(generate, checked({ type, fields: [] }), { type })).toBe(text);
  });

  test("template_fill takes the caller's context over its own", () => {
    const asked = { type: "template_fill", context: { name: "Grace" } };
    expect(runForTests(templateFill, checked({ type: "template_fill", fields: [] }), asked)).toContain("Dear Grace,");
  });
});

describe("the sample of any other generator", () => {
  test("has one element, one pattern of its type, and the fields it requires", () => {
    const fields = [
      "generation.patterns[0].template",
      "generation.patterns[].specification",
      "generation.patterns[0].generation_config.tone",
      "generation.patterns[0].generation_config.context.name",
      "elements[].example_output",
    ];
    expect(checked({ type: "my_own-1", fields })).toMatchObject({
      id: "sample-my-own-1",
      elements: [{ name: "sample", example_output: "A sample of example_output." }],
      generation: {
        patterns: [
          {
            id: "sample",
            type: "my_own-1",
            template: "A sample of template.",
            specification: "A sample of specification.",
            generation_config: { tone: "A sample of tone.", context: { name: "A sample of name." } },
          },
        ],
      },
    });
  });

  test.each([
    "context.entries",
    "metadata.output_format",
    "generation.patterns[1].template",
    "generation.patterns[0].type",
    "generation.patterns[0].variables",
    "generation.patterns[0].generation_config",
    "generation.patterns[0].generation_config.context",
    "generation.patterns[0].generation_config.a.b",
    "generation.patterns[0].__proto__",
    "generation.patterns[0].__proto__.x",
    "elements[].name",
    "elements[]",
    "",
  ])("has nothing for %j, and says so", (field) => {
    const { config, unmet } = sampleContent({ type: "x", fields: [field] });
    expect(unmet).toEqual([field]);
    expect(config).toEqual(sampleContent({ type: "x", fields: [] }).config);
  });

  test("is of its type and harms nothing, whatever a plug-in says that it requires", () => {
    const piece = fc.constantFrom(
      "generation.patterns[0].",
      "elements[].",
      "generation_config.",
      "context.",
      "__proto__",
    );
    const field = fc.array(fc.oneof(piece, fc.string())).map((pieces) => pieces.join(""));
    fc.assert(
      fc.property(fc.array(field), (fields) => {
        const { config, unmet } = sampleContent({ type: "x", fields });
        expect(config).toMatchObject({ type: "content", generation: { patterns: [{ id: "sample", type: "x" }] } });
        expect(fields).toEqual(expect.arrayContaining([...unmet]));
        expect(Object.keys(Object.prototype)).toEqual([]);
      }),
    );
  });
});
