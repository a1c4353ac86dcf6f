import { describe, expect, test } from "vitest";
import type { BuiltInCall } from "../../kernel/built-in.ts";
import { patternConfig } from "../configs/configs-for-tests.ts";
import { badExamples, callTool, codeOf, createBench, testCall, type TestBench } from "../make/bench-for-tests.ts";
import { Queue, QUEUE_LIMITS } from "../queue.ts";
import type { CallOn } from "../workbench.ts";
import { batchGenerateContentTool } from "./batch-generate-content.ts";
import { runTool } from "./run-tool.ts";

const setUp = (options: Parameters<typeof createBench>[0] = {}, over: { readonly callOn?: CallOn } = {}) => {
  const bench: TestBench = { ...createBench(options), ...over };
  for (const id of ["a", "b", "c", "d"]) bench.save(patternConfig({ template: "{{ x }}{{ y }}" }, { id }));
  const tool = batchGenerateContentTool(bench, 2_000);
  const call = (args: object, signal?: AbortSignal) =>
    callTool(tool, { shared_context: { x: 1, y: 2 }, ...args }, testCall(signal));
  return { bench, tool, call };
};

const textOf = async ({ versions }: TestBench, id: string): Promise<string | null> => {
  const latest = (await versions.versionsOf(id)).at(-1);
  return latest === undefined ? null : versions.readText(latest);
};

describe("batch_generate_content", () => {
  test("makes each text once, in the order of the ids, and tells where they are stored", async () => {
    const { bench, call } = setUp();
    const answer = await call({ content_ids: ["b", "a", "b"], individual_contexts: { a: '{"y":3}' } });
    const [version] = await bench.versions.versionsOf("b");
    expect(answer).toEqual({
      success: true,
      status: "batch_complete",
      total: 2,
      generated: 2,
      skipped: 0,
      failed: 0,
      cancelled: 0,
      results: [
        {
          content_id: "b",
          status: "generated",
          version_id: version?.version_id,
          generator: "template_fill",
          duration_ms: expect.any(Number),
          from_cache: false,
        },
        expect.objectContaining({ content_id: "a", status: "generated" }),
      ],
      errors: [],
      parallel_efficiency: expect.any(Number),
      duration_ms: 0,
    });
    expect([await textOf(bench, "b"), await textOf(bench, "a")]).toEqual(["12", "13"]);
  });

  test("skips what is stored already unless it is forced", async () => {
    const { call } = setUp();
    await call({ content_ids: ["a", "b"] });
    expect(await call({ content_ids: ["a", "c"] })).toMatchObject({
      status: "batch_complete",
      generated: 1,
      skipped: 1,
      results: [{ status: "skipped", from_cache: true }, { status: "generated" }],
    });
    expect(await call({ content_ids: ["a"], force: true })).toMatchObject({ results: [{ status: "regenerated" }] });
  });

  test("marks what is only a stand-in", async () => {
    const run = () => Promise.resolve({ text: "x", version: "1.0.0", metadata: { fallback: true } });
    const { bench, call } = setUp({ generators: { mine: { run } } });
    bench.save(patternConfig({ type: "mine" }, { id: "mine" }));
    const { results } = await call({ content_ids: ["a", "mine"] });
    expect(results).toMatchObject([{ content_id: "a" }, { content_id: "mine", fallback: true }]);
    expect((results as object[])[0]).not.toHaveProperty("fallback");
  });

  test("goes on after a failure, names it, and is a partial success", async () => {
    const { call } = setUp();
    const answer = await call({ content_ids: ["a", "absent", "b"] });
    expect(answer).toMatchObject({
      success: true,
      status: "batch_partial",
      generated: 2,
      failed: 1,
      results: [{ status: "generated" }, { status: "failed", error: { code: "config_not_found" } }, {}],
      errors: [{ content_id: "absent", code: "config_not_found" }],
    });
  });

  test("begins nothing new after the first failure when it is told so, and what runs is finished", async () => {
    const { bench, call } = setUp();
    const args = { content_ids: ["absent", "a", "b", "c"], continue_on_error: false };
    expect(await call({ ...args, content_ids: ["a", "absent", "b", "c"], max_parallel: 1 })).toMatchObject({
      success: true,
      status: "batch_partial",
      generated: 1,
      failed: 1,
      cancelled: 2,
      results: [
        { status: "generated" },
        { status: "failed" },
        { content_id: "b", status: "cancelled" },
        { content_id: "c", status: "cancelled" },
      ],
    });
    expect(await bench.versions.contentIds()).toEqual(["a"]);
    const two = await call({ ...args, content_ids: ["b", "absent", "c", "d"], max_parallel: 2, force: true });
    expect(two).toMatchObject({ failed: 1, results: [{ status: "generated" }, { status: "failed" }, {}, {}] });
  });

  test("is a failure that looks like one, with all results, where no text was made", async () => {
    const { call } = setUp();
    expect(await call({ content_ids: ["nope", "nothing"], continue_on_error: false, max_parallel: 1 })).toMatchObject({
      success: false,
      status: "batch_failed",
      total: 2,
      failed: 1,
      cancelled: 1,
      results: [{ status: "failed" }, { status: "cancelled" }],
      error: { code: "config_not_found", details: { total: 2, failed: 1, cancelled: 1 } },
    });
  });

  test.each([
    [{ max_parallel: 3 }, {}, 3],
    [{}, {}, 4],
    [{ max_parallel: 10 }, { max_concurrent_generations: 2 }, 2],
  ])("really overlaps: %j with %j makes %i at once", async (args, limits, expected) => {
    let [now, most] = [0, 0];
    const { promise: together, resolve } = Promise.withResolvers<void>();
    const run = async (): Promise<string> => {
      most = Math.max(most, ++now);
      // Would wait for ever if fewer were made at once.
      if (now === expected) resolve();
      await together;
      now--;
      return "made";
    };
    const { bench, call } = setUp({ generators: { mine: { run } }, limits });
    const ids = Array.from({ length: 9 }, (_, at) => `mine-${at}`);
    for (const id of ids) bench.save(patternConfig({ type: "mine" }, { id }));
    expect(await call({ content_ids: ids, ...args })).toMatchObject({ status: "batch_complete", generated: 9 });
    expect(most).toBe(expected);
  });

  test("takes no longer than it may, and says so", async () => {
    const { tool } = setUp({}, { callOn: () => new Promise(() => undefined) });
    const call = { ...testCall(), facts: () => ({ caller: {} }) } as unknown as BuiltInCall;
    const running = { report: () => undefined, maxResultBytes: 100_000, named: <T>(told: T) => told };
    const answer = await runTool({ ...tool, timeoutMs: 5 }, running).run({ content_ids: ["a"] }, call);
    expect(answer).toMatchObject({ isError: true, structuredContent: { error: { code: "generation_timeout" } } });
  });

  test("calls each as a call of its own, with its caller", async () => {
    const calls: Parameters<CallOn>[0][] = [];
    const callOn: CallOn = (order) => {
      calls.push(order);
      return Promise.resolve({
        ok: true,
        value: { status: "generated", metadata: { version_id: "v" }, generator: "g" },
      });
    };
    const { tool } = setUp({}, { callOn });
    const call = testCall();
    await callTool(tool, { content_ids: ["a"], shared_context: { x: 1 }, force: true }, call);
    expect(calls).toEqual([
      { tool: "generate_content", args: { content_config_id: "a", context: { x: 1 }, force: true }, call },
    ]);
    expect(calls[0]?.call).toBe(call);
  });

  test("does not fail because of its own crowd", async () => {
    const queue = new Queue({ ...QUEUE_LIMITS, atOnce: { generation: 1, assembly: 1 }, waiting: 0 });
    const { call } = setUp({ queue });
    expect(await call({ content_ids: ["a", "b", "c", "d"] })).toMatchObject({ status: "batch_complete", generated: 4 });
  });

  test("says that the queue is full where it is so all the time", async () => {
    const queue = new Queue({ ...QUEUE_LIMITS, atOnce: { generation: 0, assembly: 0 }, waiting: 0 });
    const { call } = setUp({ queue });
    expect(await call({ content_ids: ["a", "b"] })).toMatchObject({
      success: false,
      error: { code: "queue_full", details: { retry_after_ms: expect.any(Number) } },
    });
  });

  test("begins nothing more when its caller gives up", async () => {
    const stop = new AbortController();
    const begun: unknown[] = [];
    const callOn: CallOn = ({ args }) => {
      begun.push(args["content_config_id"]);
      stop.abort(new Error("given up"));
      return Promise.resolve({ ok: false, code: "generation_failed", message: "cancelled", details: {} });
    };
    const { call } = setUp({}, { callOn });
    await expect(call({ content_ids: ["a", "b", "c"], max_parallel: 1 }, stop.signal)).rejects.toThrow("given up");
    expect(begun).toEqual(["a"]);
  });

  test("has examples that its schema takes", () => {
    expect(badExamples(setUp().tool)).toEqual([]);
  });
});

describe("what batch_generate_content cannot do", () => {
  const many = (count: number): string[] => Array.from({ length: count }, (_, at) => `id-${at}`);

  const rows: readonly [string, object][] = [
    ["batch_too_large", { content_ids: many(51) }],
    ["invalid_input", { content_ids: [] }],
    ["invalid_input", { content_ids: ["a"], max_parallel: 11 }],
    ["invalid_input", { content_ids: ["a"], individual_contexts: { b: {} } }],
    ["invalid_config_id", { content_ids: ["a", ".."] }],
    ["invalid_context", { content_ids: ["a"], shared_context: 1 }],
    ["invalid_context", { content_ids: ["a"], individual_contexts: { a: "[]" } }],
    ["config_not_found", { content_ids: ["nope", "nothing"] }],
    ["generator_not_found", { content_ids: ["odd"] }],
    ["missing_credential", { content_ids: ["coded"] }],
    ["content_too_large", { content_ids: ["long"] }],
    ["generation_failed", { content_ids: ["nope", "odd"] }],
  ];

  test.each(rows)("is told as %s, and nothing is made", async (code, args) => {
    const { bench, call } = setUp({ limits: { max_content_size_bytes: 100 } });
    bench.save(patternConfig({ type: "nobodys" }, { id: "odd" }));
    bench.save(patternConfig({ type: "code_generation", specification: "Print one." }, { id: "coded" }));
    bench.save(patternConfig({ type: "template_fill", template: "x".repeat(101) }, { id: "long" }));
    expect(codeOf(await call(args))).toBe(code);
    expect(await bench.versions.contentIds()).toEqual([]);
  });

  test("is all that its guide names", () => {
    const named = setUp().tool.guide.common_errors.map(({ code }) => code);
    const shown = [...rows.map(([code]) => code), "queue_full", "generation_timeout"];
    expect(named.toSorted()).toEqual([...new Set(shown)].toSorted());
  });

  test("does not count what is given twice", async () => {
    const { call } = setUp({ limits: { max_batch_size: 2 } });
    expect(await call({ content_ids: ["a", "b", "a", "b", "a"] })).toMatchObject({ total: 2, generated: 2 });
    expect(codeOf(await call({ content_ids: ["a", "b", "c"] }))).toBe("batch_too_large");
  });
});
