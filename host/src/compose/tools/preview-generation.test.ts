import { readdirSync } from "node:fs";
import { describe, expect, test } from "vitest";
import type { ContentConfig } from "../configs/config-types.ts";
import { contentConfig, patternConfig } from "../configs/configs-for-tests.ts";
import { badExamples, callTool, createBench } from "../make/bench-for-tests.ts";
import { describeGenerationFailures } from "../make/generation-failures-for-tests.ts";
import { contentHash } from "../storage/stored-version.ts";
import { previewGenerationTool } from "./preview-generation.ts";

const made = { mine: { run: () => Promise.resolve("made") } };

const preview = (config: ContentConfig, args: object, files: Readonly<Record<string, string>> = {}) => {
  const bench = createBench({ generators: made });
  bench.save(config);
  for (const [path, text] of Object.entries(files)) bench.write(path, text);
  return { bench, answer: callTool(previewGenerationTool(bench), { content_config_id: "letter", ...args }) };
};

const unused = (name: string): string => `Context variable '${name}' provided but not used in template`;

const usageOf = async (config: ContentConfig, context: object, files?: Readonly<Record<string, string>>) => {
  const answer = await preview(config, { context, show_metadata: true }, files).answer;
  const { variable_usage, warnings, template_hash } = answer["metadata"] as Record<string, unknown>;
  return { variable_usage, warnings, template_hash };
};

describe("preview_generation", () => {
  test("gives the text and stores nothing", async () => {
    const { bench, answer } = preview(patternConfig({ template: "Dear {{ name }}" }), { context: { name: "Ada" } });
    expect(await answer).toEqual({ success: true, content: "Dear Ada", status: "preview", duration_ms: 0 });
    expect(readdirSync(bench.root)).toEqual(["configs"]);
    expect(bench.told).toEqual([]);
  });

  test("never gives a stand-in without its mark", async () => {
    const metadata = { fallback: true, fallback_reason: "The model is away." };
    const run = () => Promise.resolve({ text: "A stand-in.", version: "1.0.0", metadata });
    const bench = createBench({ generators: { mine: { run } } });
    bench.save(patternConfig({ type: "mine" }));
    const answer = await callTool(previewGenerationTool(bench), { content_config_id: "letter" });
    expect(answer).toMatchObject({ content: "A stand-in.", metadata });
  });

  test("tells how it was made, and which values the template does not use", async () => {
    const template = "{{ name }} {{ user.name }} {{ name }}";
    const context = { name: "Ada", user: { name: "A" }, extra: 1 };
    const answer = await preview(patternConfig({ template }), { context, show_metadata: true }).answer;
    expect(answer["metadata"]).toEqual({
      generator_type: "template_fill",
      selection_rule: "placeholder",
      context_variables: ["extra", "name", "user"],
      template_hash: contentHash(template),
      variable_usage: { name: 2, user: 1 },
      warnings: [unused("extra")],
    });
  });

  test("counts what included templates use too", async () => {
    const config = patternConfig({ template: "{% include 'part.md' %}{{ a|upper }}" });
    const found = await usageOf(config, { a: "x", b: "y", c: 1 }, { "templates/part.md": "{{ b }}{{ a }}" });
    expect(found).toMatchObject({ variable_usage: { a: 2, b: 1 }, warnings: [unused("c")] });
  });

  test("does not say that a value is unused where it cannot know", async () => {
    const open = patternConfig({ template: "{% include which ignore missing %}" });
    const found = await usageOf(open, { which: "x.md", a: 1 });
    expect(found.warnings).toEqual([expect.stringContaining("known only when it runs")]);
    expect((await usageOf(patternConfig({ type: "mine" }), { a: 1 })).warnings).toEqual([]);
  });

  test("says of a generator that uses no context that it does not", async () => {
    const config = patternConfig(
      { type: "demonstration", template: "{{ a }}" },
      { elements: [{ name: "b", example_output: "x" }] },
    );
    expect(await usageOf(config, { a: 1 })).toMatchObject({ variable_usage: { a: 1 }, warnings: [unused("a")] });
    const plain = contentConfig({ elements: [{ name: "b", example_output: "x" }] });
    expect(await usageOf(plain, {})).toEqual({ variable_usage: {}, warnings: [], template_hash: null });
  });

  test("finds placeholders in every part of a feature", async () => {
    const feature = { title: "{{ a }}", description: "{{ b }}" };
    const scenarios = [{ title: "t", steps: ["Given {{ a }}"] }];
    const config = patternConfig({ type: "bdd_scenario_assembly", generation_config: { feature, scenarios } });
    const found = await usageOf(config, { a: 1, b: 2, c: 3 });
    expect(found).toEqual({ variable_usage: { a: 2, b: 1 }, warnings: [unused("c")], template_hash: null });
  });

  test("has examples that its schema takes", () => {
    expect(badExamples(previewGenerationTool(createBench()))).toEqual([]);
  });
});

describeGenerationFailures("preview_generation", previewGenerationTool);
