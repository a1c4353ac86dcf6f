/** Code that a model writes while an agent runs: it counts against that run. */
import { describe, expect, test } from "vitest";
import { configOf, startModels } from "../agent/model/models-for-tests.ts";
import type { ModelStub } from "../agent/model/model-stub-for-tests.ts";
import { patternConfig } from "../compose/configs/configs-for-tests.ts";
import { choosePattern } from "../compose/generators/choose-pattern.ts";
import { createCodeGeneration, type CodeMade, type CodeOrder } from "../compose/generators/code-generation.ts";
import { createBench, testCall } from "../compose/make/bench-for-tests.ts";
import { testConfigTool } from "../compose/tools/test-config.ts";
import { generateContentTool } from "../compose/tools/generate-content.ts";
import { previewGenerationTool } from "../compose/tools/preview-generation.ts";
import { regenerateContentTool } from "../compose/tools/regenerate-content.ts";
import type { ComposeCall } from "../compose/workbench.ts";
import type { ChildSpending, ParentRun } from "../kernel/call-run.ts";

const runWith = (tokens: number): { readonly run: ParentRun; readonly spent: ChildSpending[] } => {
  const spent: ChildSpending[] = [];
  const used = (): number => spent.reduce((sum, { inputTokens }) => sum + inputTokens, 0);
  const run = { tokensLeft: () => Math.max(0, tokens - used()), spend: (child: ChildSpending) => spent.push(child) };
  return { run: run as unknown as ParentRun, spent };
};

const start = async (...turns: Parameters<ModelStub["script"]>): ReturnType<typeof startModels> => {
  const started = await startModels();
  started.stub.script(...turns);
  return started;
};

interface Asked extends Partial<CodeOrder> {
  readonly settings?: Readonly<Record<string, unknown>>;
}

const generate = (
  models: Awaited<ReturnType<typeof start>>["models"],
  { settings = {}, ...order }: Asked,
): Promise<CodeMade> => {
  const config = patternConfig({ type: "code_generation", specification: "Print one.", generation_config: settings });
  const pattern = choosePattern(config, "code_generation");
  const { signal } = new AbortController();
  const generator = createCodeGeneration({
    models,
    config: { ...configOf({}), compose: { limits: {} as never, codeGeneration: {} } },
  });
  return generator.generate({ config, pattern, context: {}, maxBytes: 100_000, run: null, signal, ...order });
};

const CODE = "```python\nprint(1)\n```";

describe("a run of the agent", () => {
  test("pays for the code that it has written", async () => {
    const { models } = await start([{ text: CODE, forever: true }]);
    const { run, spent } = runWith(1_000_000);
    const { metadata } = await generate(models, { run });
    const { input, output } = metadata["tokens"] as { input: number; output: number };
    expect(input).toBeGreaterThan(0);
    expect(spent).toMatchObject([{ inputTokens: input, outputTokens: output, costUsd: metadata["cost_usd"] ?? null }]);
  });

  test("pays for answers that were of no use, before the fallback and without one", async () => {
    const { models } = await start([{ text: "```python\nprint(", finish: "length", forever: true }]);
    const { run, spent } = runWith(1_000_000);
    expect(await generate(models, { run, settings: { fallback_template: "x" } })).toMatchObject({ text: "x" });
    await expect(generate(models, { run })).rejects.toThrow("cut at 4096 tokens");
    expect(spent.length).toBe(2);
  });

  test("pays for what was written when an answer is stopped for its size", async () => {
    const { models } = await start([{ text: Array.from({ length: 50 }, () => "x".repeat(100)) }]);
    const { run, spent } = runWith(1_000_000);
    await expect(generate(models, { run, maxBytes: 1_000 })).rejects.toMatchObject({ code: "content_too_large" });
    expect(spent).toMatchObject([{ estimated: true }]);
    expect(spent[0]!.outputTokens).toBeGreaterThan(250);
  });

  test("that has nothing left asks no model", async () => {
    const { models, stub } = await start([{ text: CODE, forever: true }]);
    const { run } = runWith(1);
    await generate(models, { run });
    await expect(generate(models, { run })).rejects.toMatchObject({
      code: "generation_failed",
      message: "The run has no input tokens left for another call of a model",
    });
    expect(stub.requests().length).toBe(1);
  });
});

test("every tool that makes a text hands the run on to the generator", async () => {
  const { run } = runWith(10);
  const seen: unknown[] = [];
  const bench = createBench({
    generators: {
      mine: {
        run: (order) => {
          seen.push(order.run);
          return Promise.resolve("text");
        },
      },
    },
  });
  const config = patternConfig({ type: "mine", template: "x" }, { id: "letter" });
  bench.save(config);
  const { draft_id } = await bench.drafts.create({
    config_type: "content",
    config_data: { ...config },
  });
  const call = { ...testCall(), facts: () => ({ origin: { run } }) } as unknown as ComposeCall;
  const args = { content_config_id: "letter" };
  await generateContentTool(bench).run(args, call);
  await regenerateContentTool(bench).run(args, call);
  await previewGenerationTool(bench).run(args, call);
  await testConfigTool(bench).run({ draft_id }, call);
  expect(seen).toEqual([run, run, run, run]);
});
