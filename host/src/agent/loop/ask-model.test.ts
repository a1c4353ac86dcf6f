/** Failures of the model: what is tried again, for how long, and what the person reads when it does not help. */
import { describe, expect, test } from "vitest";
import { ModelError, type ModelMessage } from "../../kernel/model.ts";
import { Refusal } from "../../kernel/refusal.ts";
import { refusalOf, startLoop } from "./loop-for-tests.ts";
import { scriptModels, type ScriptedTurn } from "./scripted-models-for-tests.ts";

const failing = (kind: ModelError["kind"], retryAfterMs: number | null = null): ScriptedTurn => ({
  fails: new ModelError(kind, `The model is ${kind}.`, retryAfterMs),
});
const DONE: ScriptedTurn = { text: "Done." };
const PASSING = ["rate_limited", "overloaded", "network"] as const;

describe.each(PASSING)("%s", (kind) => {
  test("is tried again three times after 1, 2 and 4 seconds, as one iteration", async () => {
    const models = scriptModels([failing(kind), failing(kind), failing(kind), DONE]);
    const run = startLoop({ models, maxIterations: 1 });
    expect(await run.end).toMatchObject({ text: "Done.", iterations: 1, usage: { inputTokens: 10 } });
    expect(run.waits).toEqual([1000, 2000, 4000]);
    expect(run.kept).toHaveLength(1);
  });

  test("ends the run after the fourth try, and nothing is kept", async () => {
    const models = scriptModels(() => failing(kind));
    const run = startLoop({ models });
    const refusal = await refusalOf(run);
    expect(refusal).toMatchObject({ kind: "model_failed", retryable: true, details: { reason: kind, attempts: 4 } });
    expect(refusal.message).toBe(`The model is ${kind}. It was tried 4 times.`);
    expect(refusal.next).toContain("Send the message again");
    expect(models.requests).toHaveLength(4);
    expect(run.kept).toEqual([]);
  });

  test("is not tried again when text had come, which is kept", async () => {
    const models = scriptModels([{ text: "The ans", ...failing(kind) }]);
    const run = startLoop({ models });
    const refusal = await refusalOf(run);
    expect(refusal.kind).toBe("model_failed");
    expect(refusal.message).toContain("What had come of the answer is kept.");
    expect(run.waits).toEqual([]);
    expect(run.kept).toMatchObject([
      { text: "The ans", calls: [], interrupted: true, stopReason: null, usage: { estimated: true, outputTokens: 2 } },
    ]);
  });

  test("is not tried again when a call had come, which is kept and not run", async () => {
    const models = scriptModels([{ calls: [{ name: "a__echo" }], ...failing(kind) }]);
    const run = startLoop({ models, tools: { a__echo: () => "said" } });
    expect((await refusalOf(run)).kind).toBe("model_failed");
    expect(run.orders).toEqual([]);
    expect(run.kept).toMatchObject([{ interrupted: true, calls: [{ ok: false, outcome: null }] }]);
  });
});

test("tries are counted anew for every model call", async () => {
  const models = scriptModels([
    failing("network"),
    failing("network"),
    failing("network"),
    { calls: [{ name: "a__echo" }] },
    failing("network"),
    failing("network"),
    failing("network"),
    DONE,
  ]);
  const run = startLoop({ models, tools: { a__echo: () => "said" } });
  expect(await run.end).toMatchObject({ text: "Done.", iterations: 2 });
  expect(run.waits).toEqual([1000, 2000, 4000, 1000, 2000, 4000]);
});

test("many hosts that fail at once do not all come back at once", async () => {
  const waits: number[] = [];
  const clock = {
    now: () => 0,
    random: () => 0.999,
    sleep: (ms: number) => {
      waits.push(ms);
      return Promise.resolve();
    },
  };
  await startLoop({ models: scriptModels([failing("network"), failing("network"), DONE]), clock }).end;
  expect(waits).toEqual([1250, 2500]);
});

test("what the provider asks for is waited for, up to 30 seconds", async () => {
  const models = scriptModels([
    failing("rate_limited", 7000),
    failing("overloaded", 30_000),
    failing("network", 0),
    DONE,
  ]);
  const run = startLoop({ models });
  await run.end;
  expect(run.waits).toEqual([7000, 30_000, 0]);
});

test("a longer wait is not made: the person is told for how long", async () => {
  const models = scriptModels([failing("rate_limited", 30_001)]);
  const run = startLoop({ models });
  const refusal = await refusalOf(run);
  expect(refusal).toMatchObject({ kind: "model_failed", retryAfterMs: 30_001 });
  expect(refusal.next).toContain("in 31 seconds");
  expect(run.waits).toEqual([]);
});

test.each(["bad_request", "refused"] as const)("%s ends the run at once", async (kind) => {
  const models = scriptModels([failing(kind)]);
  const refusal = await refusalOf(startLoop({ models }));
  expect(refusal).toMatchObject({ kind: "model_failed", retryable: false, message: `The model is ${kind}.` });
  expect(refusal.next).toContain("bailiwick doctor");
});

test("a model without a key is told as such", async () => {
  const models = scriptModels([{ fails: new ModelError("unconfigured", "Set ANTHROPIC_API_KEY.") }]);
  expect(await refusalOf(startLoop({ models }))).toMatchObject({
    kind: "model_unconfigured",
    message: "Set ANTHROPIC_API_KEY.",
  });
});

test("a refusal of the model port and a bug pass through as they are", async () => {
  const refusal = new Refusal("bad_request", { message: "No such provider.", next: "Choose another." });
  await expect(startLoop({ models: scriptModels([{ fails: refusal }]) }).end).rejects.toBe(refusal);
  const bug = new TypeError("x");
  const run = startLoop({ models: scriptModels([{ text: "Half", fails: bug }]) });
  await expect(run.end).rejects.toBe(bug);
  expect(run.kept).toMatchObject([{ text: "Half", interrupted: true }]);
});

test("an answer without its end is a bug, and what came of it is kept", async () => {
  const models = {
    costOf: () => null,
    async *call() {
      yield await Promise.resolve({ type: "text" as const, text: "Half" });
    },
  };
  const run = startLoop({ models });
  await expect(run.end).rejects.toThrow("without its end");
  expect(run.kept).toMatchObject([{ text: "Half", interrupted: true }]);
});

describe("a conversation that is too long", () => {
  const messages: readonly ModelMessage[] = [
    { role: "user", text: "Old" },
    { role: "assistant", text: "Yes", calls: [] },
    { role: "user", text: "New" },
  ];
  const shorten = (all: readonly ModelMessage[]) => (all.length > 1 ? all.slice(2) : null);

  test("is sent once more without its oldest turns, and stays so for the rest of the run", async () => {
    const models = scriptModels([failing("overflow"), { calls: [{ name: "a__echo" }] }, DONE]);
    const run = startLoop({ models, messages, shorten, tools: { a__echo: () => "said" } });
    expect(await run.end).toMatchObject({ text: "Done.", iterations: 2 });
    const sent = models.requests.map(({ messages: all }) => all.map((m) => (m.role === "user" ? m.text : m.role)));
    expect(sent).toEqual([
      ["Old", "assistant", "New\n\n<now>"],
      [expect.stringMatching(/^New\n\n<now>Earlier messages .* were left out/)],
      [expect.stringMatching(/^New\n\n<now>Earlier messages/), "assistant", "tool"],
    ]);
    expect(run.waits).toEqual([]);
  });

  test("ends the run when that does not help", async () => {
    const models = scriptModels(() => failing("overflow"));
    const refusal = await refusalOf(startLoop({ models, messages, shorten: (all) => all.slice(-1) }));
    expect(refusal).toMatchObject({ kind: "model_failed", retryable: false });
    expect(refusal.next).toContain("Start a new conversation");
    expect(models.requests).toHaveLength(2);
  });

  test("ends the run at once when nothing can be left out", async () => {
    const models = scriptModels(() => failing("overflow"));
    await refusalOf(startLoop({ models }));
    expect(models.requests).toHaveLength(1);
  });

  test("does not use up the tries for what passes", async () => {
    const turns = [failing("network"), failing("overflow"), failing("network"), failing("network"), DONE];
    const run = startLoop({ models: scriptModels(turns), messages, shorten });
    expect(await run.end).toMatchObject({ text: "Done." });
    expect(run.waits).toEqual([1000, 2000, 4000]);
  });
});
