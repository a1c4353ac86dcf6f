import { describe, expect, test } from "vitest";
import { artifactConfig, contentConfig, patternConfig } from "../configs/configs-for-tests.ts";
import type { ConfigType } from "../configs/config-types.ts";
import { badExamples, callTool, codeOf, createBench } from "../make/bench-for-tests.ts";
import { testConfigTool } from "./test-config.ts";

const setUp = async (
  data: object,
  options: Parameters<typeof createBench>[0] & { readonly type?: ConfigType } = {},
) => {
  const bench = createBench(options);
  const draft = await bench.drafts.create({ config_type: options.type ?? "content", config_data: data });
  const tool = testConfigTool(bench);
  const call = (args: object = {}) => callTool(tool, { draft_id: draft.draft_id, ...args });
  return { bench, id: draft.draft_id, tool, call };
};

const LETTER = patternConfig({ template: "Dear {{ name }}, how are you?" });
const CONTEXT = { context: { name: "Ada" } };

describe("test_config", () => {
  test("shows what a draft makes, and stores nothing", async () => {
    const { bench, id, call } = await setUp(LETTER);
    expect(await call(CONTEXT)).toEqual({
      success: true,
      preview_content: "Dear Ada, how are you?",
      content_length: 22,
      generator_used: "template_fill",
      selection_rule: "placeholder",
      validation_issues: [],
      estimated_cost: null,
      duration_ms: 0,
    });
    expect(await bench.versions.versionsOf(id)).toEqual([]);
  });

  test("stores the text under the draft's id when it is no dry run, and it is no content", async () => {
    const { bench, id, call } = await setUp(LETTER);
    const answer = await call({ ...CONTEXT, dry_run: false });
    const [version] = await bench.versions.versionsOf(id);
    expect(answer["version_id"]).toBe(version?.version_id);
    expect(await bench.versions.readText(version!)).toBe("Dear Ada, how are you?");
    expect(await bench.versions.contentIds()).toEqual([]);
    expect(bench.told).toEqual([]);
  });

  test("tells where the text is only a stand-in, and marks it where it is stored", async () => {
    const metadata = { fallback: true, fallback_reason: "The model is away." };
    const run = () => Promise.resolve({ text: "A stand-in.", version: "1.0.0", metadata });
    const { bench, id, call } = await setUp(patternConfig({ type: "mine" }), { generators: { mine: { run } } });
    expect(await call({ dry_run: false })).toMatchObject({
      validation_issues: [
        { severity: "warning", code: "fallback_used", message: expect.stringContaining("The model is away.") },
      ],
    });
    expect(await bench.versions.versionsOf(id)).toMatchObject([{ fallback: true }]);
  });

  test("shows the first 10,000 characters, counted as a person would, and how many there are", async () => {
    const { bench, id, call } = await setUp(patternConfig({ template: "{{ long }}" }));
    const answer = await call({ context: { long: "\u{1F600}".repeat(10_001) }, dry_run: false });
    expect(answer).toMatchObject({
      preview_content: `${"\u{1F600}".repeat(10_000)}\n\n... (truncated, total 10001 chars)`,
      content_length: 10_001,
    });
    expect(await bench.versions.versionsOf(id)).toMatchObject([{ size_bytes: 40_004 }]);
    const whole = await call({ context: { long: "x".repeat(10_000) } });
    expect(whole).toMatchObject({ preview_content: "x".repeat(10_000), content_length: 10_000 });
  });

  test("tells what is wrong with the config and with the text", async () => {
    const rules = [{ id: "r", check_type: "presence", target: "body", check_config: {}, severity: "warning" }];
    const { call } = await setUp({ ...LETTER, colour: "red", state: {}, validation: { rules } });
    const answer = await call({ context: { name: "[TBD]" } });
    const codes = (answer["validation_issues"] as { code: string; location: string }[]).map((issue) => issue.code);
    expect(codes).toEqual(["unknown_key", "unsupported_field", "missing_required_field", "content_incomplete"]);
  });

  test("tells the cost where the generator knows it", async () => {
    const run = () => Promise.resolve({ text: "made by a model", version: "1", metadata: { cost_usd: 0.25 } });
    const { call } = await setUp(patternConfig({ type: "mine" }), { generators: { mine: { run } } });
    expect(await call()).toMatchObject({ estimated_cost: 0.25 });
  });

  test("has examples that its schema takes", async () => {
    expect(badExamples((await setUp(LETTER)).tool)).toEqual([]);
  });
});

describe("what test_config cannot do", () => {
  const rows: readonly [string, object, object, { readonly type?: ConfigType }?][] = [
    ["invalid_input", { dry_run: "no" }, LETTER],
    ["invalid_context", { context: "[]" }, LETTER],
    ["invalid_config_id", { draft_id: "" }, LETTER],
    ["invalid_config_id", { draft_id: "letter" }, LETTER],
    ["invalid_config_id", { draft_id: "../draft-20260101T000000-0a0b0c" }, LETTER],
    ["draft_not_found", { draft_id: "draft-20260101T000000-0a0b0c" }, LETTER],
    ["test_failed", {}, artifactConfig([{ id: "letter" }]), { type: "artifact" }],
    ["test_execution_failed", {}, LETTER],
    ["test_execution_failed", {}, patternConfig({ type: "gone" })],
    ["test_execution_failed", {}, contentConfig({ elements: [] })],
  ];

  test.each(rows)("is told as %s: %j", async (code, args, data, options) => {
    const { call } = await setUp(data, options);
    expect(codeOf(await call(args))).toBe(code);
  });

  test("is all that its guide names", async () => {
    const named = (await setUp(LETTER)).tool.guide.common_errors.map(({ code }) => code);
    expect(named.toSorted()).toEqual([...new Set(rows.map(([code]) => code))].toSorted());
  });

  test("names the reason by the code that generating has for it", async () => {
    const details = async (data: object) =>
      ((await (await setUp(data)).call())["error"] as { details: object }).details;
    expect(await details(LETTER)).toMatchObject({ cause: "generation_failed", variable: "name" });
    expect(await details(patternConfig({ type: "gone" }))).toMatchObject({ cause: "generator_not_found" });
    expect(await details(contentConfig({ elements: [] }))).toMatchObject({
      cause: "validation_error",
      violations: [{ pointer: "/elements" }],
    });
  });
});
