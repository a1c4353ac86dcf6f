/** The loop against a model behind real HTTP, on both wires. */
import { describe, expect, test } from "vitest";
import { KEY, ON_WIRES, OTHER_KEY, startModels } from "../model/models-for-tests.ts";
import type { StubTurn } from "../model/stub-turn-for-tests.ts";
import { refusalOf, startLoop, type LoopSetup, type TestTool } from "./loop-for-tests.ts";
import { REAL_CLOCK } from "./real-clock.ts";

const echo: TestTool = ({ input }) => `said ${JSON.stringify(input)}`;
const tools = { a__echo: echo, "a__dotted.name": echo };
const BUSY: StubTurn = { error: { status: 529, type: "overloaded_error", message: "Overloaded" } };

describe.each(ON_WIRES)("on %s", (_, model) => {
  const start = async (script: readonly StubTurn[], setup: Partial<LoopSetup> = {}) => {
    const { stub, models } = await startModels();
    stub.script(script);
    return { stub, run: startLoop({ models, model, tools, ...setup }) };
  };

  test("text streams, calls run side by side, results return in order, and all is counted", async () => {
    const { stub, run } = await start([
      {
        text: ["I will ", "look."],
        calls: [
          { name: "a__echo", input: { n: 1 } },
          { name: "a__dotted_name", input: { n: 2 } },
        ],
        usage: { input: 100, output: 7, cacheRead: 40 },
      },
      { text: ["Do", "ne."], usage: { input: 120, output: 3 } },
    ]);
    const end = await run.end;
    expect(end).toMatchObject({
      text: "I will look.\n\nDone.",
      stopReason: "complete",
      finish: "stop",
      model,
      iterations: 2,
      usage: { inputTokens: 220, outputTokens: 10, cacheReadTokens: 40, estimated: false },
    });
    expect(run.deltas).toEqual(["I will ", "look.", "\n\n", "Do", "ne."]);
    expect(end.calls.map(({ name, output }) => [name, output])).toEqual([
      ["a__echo", 'said {"n":1}'],
      ["a__dotted.name", 'said {"n":2}'],
    ]);
    const [first, second] = stub.requests();
    expect(first?.tools).toEqual(["a__echo", "a__dotted_name"]);
    expect(first?.last).toBe("Hello\n\n<now>");
    expect(second?.results.map(({ text }) => text)).toEqual(['said {"n":1}', 'said {"n":2}']);
  });

  test("calls of the last iteration and above the token budget are dropped", async () => {
    const asks: StubTurn = { calls: [{ name: "a__echo" }], usage: { input: 60, output: 1 } };
    const limited = await start([asks, asks], { maxIterations: 2 });
    expect(await limited.run.end).toMatchObject({
      stopReason: "max_iterations",
      calls: [{ ok: true }, { ok: false, dropped: "iteration_limit" }],
    });
    expect(limited.stub.requests()).toHaveLength(2);
    expect(JSON.stringify(limited.stub.requests()[1]?.body)).toContain("<now last>");
    const poor = await start([asks, asks], { maxInputTokens: 100 });
    expect(await poor.run.end).toMatchObject({
      stopReason: "token_budget",
      text: expect.stringContaining("maxInputTokens: 100"),
      calls: [{ ok: true }, { ok: false, dropped: "token_budget" }],
    });
  });

  test("a hostile answer of hundreds of calls and broken arguments gets answers to all of them", async () => {
    const many = Array.from({ length: 200 }, (__, n) => ({ name: n % 2 ? "a__echo" : "b__hidden", input: { n } }));
    const { stub, run } = await start([
      { calls: [...many, { name: "a__echo", inputText: "[1, 2" }, { name: "", input: {} }] },
      { text: "Done." },
    ]);
    const end = await run.end;
    expect(end.text).toBe("Done.");
    expect(end.calls.length).toBeGreaterThanOrEqual(201);
    expect(end.calls.filter(({ ok }) => ok)).toHaveLength(64);
    expect(stub.requests()[1]?.results).toHaveLength(end.calls.length);
  });

  test("a text that was cut goes on, and a call whose arguments were cut is not run", async () => {
    const { stub, run } = await start([
      { text: "for", finish: "length" },
      { text: "ty", calls: [{ name: "a__echo", inputText: '{"n": ' }], finish: "length" },
      { text: "Done." },
    ]);
    expect(await run.end).toMatchObject({ text: "forty\n\nDone.", iterations: 3, calls: [{ ok: false }] });
    expect(stub.requests()[1]?.last).toContain("Go on exactly where it stopped");
    expect(stub.requests()[2]?.results[0]?.text).toContain("were cut by the limit of output tokens");
    expect(run.orders).toEqual([]);
  });

  test("a provider that is busy, limits or loses connections is asked again, with its own waits", async () => {
    const { stub, run } = await start([
      { error: { status: 429, type: "rate_limit_error", headers: { "retry-after": "7" } } },
      BUSY,
      { error: "reset" },
      { text: "Done." },
    ]);
    expect(await run.end).toMatchObject({ text: "Done.", iterations: 1 });
    expect(run.waits).toEqual([7000, 2000, 4000]);
    expect(stub.requests()).toHaveLength(4);
  });

  test("the wait that a provider asks for is made by the real clock too", async () => {
    const limited: StubTurn = { error: { status: 429, headers: { "retry-after": "0" } } };
    const { run } = await start([limited, { text: "Done." }], { clock: REAL_CLOCK });
    expect(await run.end).toMatchObject({ text: "Done." });
  });

  test("a stream that fails before its first token is tried again", async () => {
    const { run } = await start([
      { fault: "cut" },
      { fault: { type: "overloaded_error", message: "Overloaded" } },
      { calls: [{ name: "a__echo" }], fault: "end" },
      { text: "Done." },
    ]);
    expect(await run.end).toMatchObject({ text: "Done.", calls: [] });
    expect(run.orders).toEqual([]);
  });

  test("a stream that is lost after its first token ends the run, with the text kept", async () => {
    const seen = Promise.withResolvers<void>();
    const { stub, run } = await start([{ text: ["Half", seen.promise], fault: "cut" }], {
      on: { text: () => seen.resolve() },
    });
    const refusal = await refusalOf(run);
    expect(refusal).toMatchObject({ kind: "model_failed", details: { attempts: 1 } });
    expect(run.kept).toMatchObject([{ text: "Half", interrupted: true, stopReason: null, usage: { estimated: true } }]);
    expect(stub.requests()).toHaveLength(1);
  });

  test("a provider that stays busy or refuses the key is told without any secret", async () => {
    const busy = await start([{ ...BUSY, forever: true }]);
    const failed = await refusalOf(busy.run);
    expect(failed).toMatchObject({ kind: "model_failed", row: { rest: 502 }, details: { attempts: 4 } });
    const key = model.includes(":") ? OTHER_KEY : KEY;
    const refused = await start([
      { error: { status: 401, type: "authentication_error", message: `bad key ${key}` }, forever: true },
    ]);
    const refusal = await refusalOf(refused.run);
    expect(refusal.kind).toBe("model_failed");
    expect(refused.stub.requests()).toHaveLength(1);
    expect(`${refusal.message}${refusal.next}${JSON.stringify(refusal)}`).not.toContain(key.slice(0, 12));
  });

  test("a conversation that is too long is sent once more without its oldest turns", async () => {
    const { stub, run } = await start(
      [{ error: { status: 400, message: "prompt is too long: 213462 tokens > 200000 maximum" } }, { text: "Done." }],
      {
        messages: [
          { role: "user", text: "Old" },
          { role: "assistant", text: "Yes", calls: [] },
          { role: "user", text: "New" },
        ],
        shorten: (all) => (all.length > 1 ? all.slice(-1) : null),
      },
    );
    expect(await run.end).toMatchObject({ text: "Done.", iterations: 1 });
    expect(JSON.stringify(stub.requests()[1]?.body)).not.toContain("Old");
  });

  test("a cancelled run leaves the provider, and keeps what had come", async () => {
    const { stub, run } = await start([{ text: "Half", fault: "hang" }], {
      on: { text: () => queueMicrotask(() => run.controller.abort()) },
    });
    expect((await refusalOf(run)).kind).toBe("cancelled");
    expect(run.kept).toMatchObject([{ text: "Half", interrupted: true }]);
    await expect.poll(() => stub.requests()[0]?.left).toBe(true);
  });

  test("a run that is cancelled while the provider says nothing ends too", async () => {
    const { stub, run } = await start([{ error: "hang" }]);
    await stub.arrived(1);
    run.controller.abort();
    expect((await refusalOf(run)).kind).toBe("cancelled");
    expect(run.kept).toEqual([]);
  });
});
