/** How a run goes on and how it ends: stop reasons, limits, what is sent, kept and counted. */
import { expect, test } from "vitest";
import { ModelError, type ModelMessage } from "../../kernel/model.ts";
import { refusalOf, startLoop } from "./loop-for-tests.ts";
import { scriptModels } from "./scripted-models-for-tests.ts";

const tools = { a__echo: ({ input }: { input: unknown }) => `said ${JSON.stringify(input)}` };
const ASKS = { calls: [{ name: "a__echo", input: { x: 1 } }] };

test("an answer without calls is the end of the run", async () => {
  const models = scriptModels([{ text: ["Hel", "lo."] }]);
  const run = startLoop({ models });
  expect(await run.end).toEqual({
    text: "Hello.",
    calls: [],
    stopReason: "complete",
    finish: "stop",
    model: "test-model",
    iterations: 1,
    llmMs: 0,
    usage: { inputTokens: 10, outputTokens: 5, cacheReadTokens: 0, cacheCreationTokens: 0, estimated: false },
    costUsd: 0.01,
  });
  expect(run.deltas).toEqual(["Hel", "lo."]);
  expect(run.kept).toMatchObject([{ text: "Hello.", calls: [], stopReason: "complete", interrupted: false }]);
});

test("an empty answer is kept and is an empty text", async () => {
  const run = startLoop({ models: scriptModels([{}]) });
  expect(await run.end).toMatchObject({ text: "", stopReason: "complete" });
  expect(run.kept).toMatchObject([{ text: "", stopReason: "complete" }]);
});

test("calls run, their results go back to the model, and each answer is kept before the next is asked for", async () => {
  const order: string[] = [];
  const models = scriptModels((index) => {
    order.push(`ask ${index + 1}`);
    return index === 0 ? { text: "I will look.", ...ASKS } : { text: "Done." };
  });
  const run = startLoop({
    models,
    tools,
    keep: async ({ text }) => {
      await Promise.resolve();
      order.push(`kept ${text}`);
    },
  });
  const end = await run.end;
  expect(end).toMatchObject({ text: "I will look.\n\nDone.", stopReason: "complete", iterations: 2 });
  expect(end.usage).toMatchObject({ inputTokens: 20, outputTokens: 10 });
  expect(end.costUsd).toBeCloseTo(0.02);
  expect(end.calls).toEqual([
    {
      id: "call_1",
      name: "a__echo",
      input: { x: 1 },
      output: 'said {"x":1}',
      ok: true,
      ms: 0,
      outcome: "success",
      evidenceId: "ev_1",
    },
  ]);
  expect(order).toEqual(["ask 1", "kept I will look.", "ask 2", "kept Done."]);
  expect(run.told).toEqual(["model 1 tool-calls", "start call_1", "done call_1", "model 2 stop"]);
  expect(models.requests[1]?.messages.slice(1)).toEqual([
    { role: "assistant", text: "I will look.", calls: [expect.objectContaining({ id: "call_1", input: { x: 1 } })] },
    { role: "tool", results: [{ callId: "call_1", name: "a__echo", text: 'said {"x":1}', isError: false }] },
  ]);
});

test("what is so at the moment stands at the end of the person's message in every model call", async () => {
  const earlier: readonly ModelMessage[] = [
    { role: "user", text: "First" },
    { role: "assistant", text: "Yes", calls: [] },
  ];
  const models = scriptModels([ASKS, ASKS, { text: "Done." }]);
  await startLoop({ models, tools, maxIterations: 3, messages: [...earlier, { role: "user", text: "Second" }] }).end;
  const places = models.requests.map(({ messages }) => messages.map((m) => (m.role === "user" ? m.text : m.role)));
  expect(places).toEqual([
    ["First", "assistant", "Second\n\n<now>"],
    ["First", "assistant", "Second\n\n<now>", "assistant", "tool"],
    ["First", "assistant", "Second\n\n<now last>", "assistant", "tool", "assistant", "tool"],
  ]);
  expect(models.requests.map(({ stable, maxOutputTokens }) => [stable, maxOutputTokens])).toEqual(
    Array.from({ length: 3 }, () => ["You are a host.", 100]),
  );
});

test("tools have the names that models take, and are called and kept under their full ones", async () => {
  const models = scriptModels([{ calls: [{ name: "a__x_y" }] }, {}]);
  const run = startLoop({ models, tools: { "a__x.y": () => "fine" } });
  await run.end;
  expect(models.requests[0]?.tools.map(({ name }) => name)).toEqual(["a__x_y"]);
  expect(run.orders.map(({ name }) => name)).toEqual(["a__x.y"]);
  expect(run.kept[0]?.calls[0]?.name).toBe("a__x.y");
  expect(models.requests[1]?.messages.at(-1)).toMatchObject({ results: [{ name: "a__x_y" }] });
});

test("at the token budget calls are dropped, the text is kept, and nothing runs", async () => {
  const models = scriptModels([
    { ...ASKS, usage: { inputTokens: 60 } },
    { text: "More:", calls: [{ name: "a__echo" }, { name: "none" }], usage: { inputTokens: 41 } },
  ]);
  const run = startLoop({ models, tools, maxInputTokens: 100 });
  const end = await run.end;
  expect(end).toMatchObject({ text: "More:", stopReason: "token_budget", finish: "tool-calls", iterations: 2 });
  const { output, ...dropped } = end.calls[1] ?? { output: "" };
  expect(dropped).toEqual({
    id: "call_2",
    name: "a__echo",
    input: {},
    ok: false,
    ms: 0,
    outcome: null,
    dropped: "token_budget",
  });
  expect(output).toContain("100 input tokens");
  expect(end.calls[2]).toMatchObject({ name: "none", ok: false, dropped: "token_budget" });
  expect(run.orders).toHaveLength(1);
  expect(run.told).toEqual(["model 1 tool-calls", "start call_1", "done call_1", "model 2 tool-calls"]);
  expect(run.kept.at(-1)).toMatchObject({ text: "More:", stopReason: "token_budget", calls: end.calls.slice(1) });
});

test("exactly the token budget is not more than it", async () => {
  const models = scriptModels([{ ...ASKS, usage: { inputTokens: 100 } }, { text: "Done." }]);
  const run = startLoop({ models, tools, maxInputTokens: 100 });
  expect(await run.end).toMatchObject({ stopReason: "complete", text: "Done." });
  expect(run.orders).toHaveLength(1);
});

test("an answer without calls is complete, whatever it used", async () => {
  const models = scriptModels([{ text: "Long.", usage: { inputTokens: 1000 } }]);
  expect(await startLoop({ models, maxInputTokens: 100 }).end).toMatchObject({ stopReason: "complete", text: "Long." });
});

test("what children use counts against the token budget", async () => {
  const models = scriptModels([ASKS, ASKS]);
  const child = {
    inputTokens: 90,
    outputTokens: 0,
    cacheReadTokens: 0,
    cacheCreationTokens: 0,
    costUsd: null,
    estimated: false,
  };
  const run = startLoop({
    models,
    maxInputTokens: 100,
    tools: {
      a__echo: () => {
        run.budget.spend(child);
        return "delegated";
      },
    },
  });
  expect(await run.end).toMatchObject({ stopReason: "token_budget", iterations: 2 });
  expect(run.orders).toHaveLength(1);
});

test("calls of the last iteration are dropped, and an empty answer says which limit it was and how to go on", async () => {
  const models = scriptModels(() => ASKS);
  const run = startLoop({ models, tools, maxIterations: 3 });
  const end = await run.end;
  expect(end).toMatchObject({ stopReason: "max_iterations", iterations: 3, finish: "tool-calls" });
  expect(end.text).toBe(
    "The limit of model calls for one message (maxIterations: 3) was reached before there was an answer. Send another message to go on from here.",
  );
  expect(run.deltas.join("")).toBe(end.text);
  expect(run.kept.at(-1)).toMatchObject({ text: end.text, stopReason: "max_iterations" });
  expect(end.calls.map(({ dropped }) => dropped)).toEqual([undefined, undefined, "iteration_limit"]);
  expect(end.calls[2]?.output).toContain("last of 3 model calls");
  expect(run.orders).toHaveLength(2);
});

test("an empty answer at the token budget says so, and how to go on", async () => {
  const models = scriptModels([{ ...ASKS, usage: { inputTokens: 101 } }]);
  const run = startLoop({ models, tools, maxInputTokens: 100 });
  const end = await run.end;
  expect(end).toMatchObject({
    stopReason: "token_budget",
    text: "The limit of input tokens for one message (maxInputTokens: 100) was reached before there was an answer. Send another message to go on from here.",
  });
  expect(run.deltas.join("")).toBe(end.text);
  expect(run.kept.at(-1)).toMatchObject({ text: end.text, stopReason: "token_budget" });
});

test("a model that asked for a sub-agent is not told to send a message", async () => {
  const { text } = await startLoop({ models: scriptModels([ASKS]), tools, maxIterations: 1, reader: "agent" }).end;
  expect(text).toMatch(/^The limit of model calls for this sub-agent \(maxIterations: 1\) was reached/);
  expect(text).toContain("Delegate a smaller task");
  expect(text).not.toContain("message");
});

test("a run that wrote something says nothing more at its limit", async () => {
  const models = scriptModels((index) => ({ ...ASKS, text: index === 0 ? "Looking." : "" }));
  const run = startLoop({ models, tools, maxIterations: 2 });
  expect(await run.end).toMatchObject({ stopReason: "max_iterations", text: "Looking." });
  expect(run.deltas).toEqual(["Looking."]);
});

test("a run of one model call runs no tool", async () => {
  const models = scriptModels([ASKS]);
  const run = startLoop({ models, tools, maxIterations: 1 });
  expect(await run.end).toMatchObject({ stopReason: "max_iterations" });
  expect(models.requests[0]?.messages).toEqual([{ role: "user", text: "Hello\n\n<now last>" }]);
  expect(run.orders).toEqual([]);
});

test("a cost that is not known of one model call is not known of the run", async () => {
  const models = scriptModels([ASKS, { usage: { estimated: true } }]);
  let asked = 0;
  const run = startLoop({ models: { ...models, costOf: () => (asked++ === 0 ? 0.5 : null) }, tools });
  expect(await run.end).toMatchObject({ costUsd: null, usage: { estimated: true } });
  expect(run.kept.map(({ costUsd }) => costUsd)).toEqual([0.5, null]);
});

test("why a run ended is told also where what it left cannot be kept", async () => {
  const gone = new Error("the conversation is gone");
  const failing = scriptModels([{ text: "Half", fails: new ModelError("network", "The connection was lost.") }]);
  const run = startLoop({ models: failing, keep: () => Promise.reject(gone) });
  expect((await refusalOf(run)).kind).toBe("model_failed");
  expect(run.reported).toEqual([gone]);
});

test("what cannot be kept ends the run before the model is asked again", async () => {
  const models = scriptModels(() => ASKS);
  const run = startLoop({ models, tools, keep: () => Promise.reject(new Error("disk full")) });
  await expect(run.end).rejects.toThrow("disk full");
  expect(models.requests).toHaveLength(1);
});
