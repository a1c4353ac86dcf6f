/** A run that is cancelled, in every phase: it ends with `cancelled`, waits for what it began and keeps what there is. */
import { setImmediate as turn } from "node:timers/promises";
import { expect, test } from "vitest";
import { ModelError } from "../../kernel/model.ts";
import { refusalOf, startLoop } from "./loop-for-tests.ts";
import { scriptModels } from "./scripted-models-for-tests.ts";

const CALLS = [{ name: "a__echo" }, { name: "a__echo" }];
const tools = { a__echo: () => "said" };

test("before it begins: the model is not asked", async () => {
  const models = scriptModels([{ text: "never" }]);
  const controller = new AbortController();
  controller.abort();
  const run = startLoop({ models, controller });
  expect((await refusalOf(run)).kind).toBe("cancelled");
  expect(models.requests).toEqual([]);
  expect(run.kept).toEqual([]);
});

test("before the first text: nothing is kept", async () => {
  const models = scriptModels([{ text: [() => run.controller.abort(), "late"] }]);
  const run = startLoop({ models });
  expect((await refusalOf(run)).kind).toBe("cancelled");
  expect(run.deltas).toEqual([]);
  expect(run.kept).toEqual([]);
});

test("in the middle of the text: what was told is kept, what comes after is not told", async () => {
  const models = scriptModels([{ text: ["The ", "ans", () => run.controller.abort(), "wer"] }]);
  const run = startLoop({ models });
  const refusal = await refusalOf(run);
  expect(refusal).toMatchObject({ kind: "cancelled", message: "The run was cancelled." });
  expect(refusal.next).toContain("send another message");
  expect(run.deltas).toEqual(["The ", "ans"]);
  expect(run.kept).toMatchObject([{ text: "The ans", calls: [], interrupted: true, stopReason: null }]);
});

test("a model call that fails because of it is not tried again", async () => {
  const models = scriptModels([
    { text: [() => run.controller.abort()], fails: new ModelError("network", "The connection was lost.") },
  ]);
  const run = startLoop({ models });
  expect((await refusalOf(run)).kind).toBe("cancelled");
  expect(run.waits).toEqual([]);
});

test("while it waits to try again: it does not", async () => {
  const models = scriptModels(() => ({ fails: new ModelError("overloaded", "busy") }));
  const run = startLoop({ models, sleep: () => run.controller.abort() });
  expect((await refusalOf(run)).kind).toBe("cancelled");
  expect(models.requests).toHaveLength(1);
});

test("when the calls are there but have not begun: none runs", async () => {
  const models = scriptModels([{ text: "I", calls: CALLS }]);
  const run = startLoop({ models, tools, on: { modelDone: () => run.controller.abort() } });
  expect((await refusalOf(run)).kind).toBe("cancelled");
  expect(run.orders).toEqual([]);
  expect(run.told).toEqual([]);
  expect(run.kept).toMatchObject([
    {
      text: "I",
      interrupted: true,
      calls: [
        { ok: false, outcome: null },
        { ok: false, outcome: null },
      ],
    },
  ]);
});

test("while calls run: they hear of it, are waited for, and are kept as they ended", async () => {
  const models = scriptModels([{ calls: Array.from({ length: 20 }, (_, n) => ({ name: "a__slow", id: `c${n}` })) }]);
  const run = startLoop({
    models,
    tools: {
      a__slow: async ({ id, signal }) => {
        if (id === "c0") return "in time";
        if (id === "c19") queueMicrotask(() => run.controller.abort());
        if (!signal.aborted) await new Promise((resolve) => signal.addEventListener("abort", resolve));
        await turn();
        return { ok: false, outcome: "indeterminate", code: "indeterminate", text: "indeterminate: who knows" };
      },
    },
  });
  expect((await refusalOf(run)).kind).toBe("cancelled");
  const { calls, interrupted } = run.kept[0] ?? { calls: [] };
  expect(interrupted).toBe(true);
  expect(calls.map(({ outcome }) => outcome)).toEqual(calls.map((_, n) => (n === 0 ? "success" : "indeterminate")));
  expect(run.told.filter((line) => line.startsWith("done"))).toHaveLength(20);
  expect(models.requests).toHaveLength(1);
});

test("while its conversation is deleted: it was cancelled, and what it could not write is reported", async () => {
  const gone = new Error("the conversation is gone");
  for (const late of [false, true]) {
    const models = scriptModels([{ text: "One.", calls: CALLS }]);
    const run = startLoop({
      models,
      tools: {
        a__echo: () => {
          if (!late) run.controller.abort();
          return "said";
        },
      },
      keep: () => {
        run.controller.abort();
        return Promise.reject(gone);
      },
    });
    expect((await refusalOf(run)).kind).toBe("cancelled");
    expect(run.reported).toEqual([gone]);
  }
});

test("between two model calls: what was kept is not kept twice", async () => {
  const models = scriptModels([{ text: "One.", calls: CALLS }, { text: "Two." }]);
  const run = startLoop({
    models,
    tools,
    keep: (iteration) => {
      run.kept.push(iteration);
      run.controller.abort();
      return Promise.resolve();
    },
  });
  expect((await refusalOf(run)).kind).toBe("cancelled");
  expect(run.kept).toMatchObject([{ text: "One.", interrupted: false }]);
  expect(models.requests).toHaveLength(1);
});

test("when the answer is whole and asks for nothing: it is complete", async () => {
  const models = scriptModels([{ text: "Done." }]);
  const run = startLoop({ models, on: { modelDone: () => run.controller.abort() } });
  expect(await run.end).toMatchObject({ stopReason: "complete", text: "Done." });
});
