/** The calls of one answer: side by side, results in order, and what is not run. */
import fc from "fast-check";
import { setImmediate as turn } from "node:timers/promises";
import { expect, test } from "vitest";
import type { WaitingApproval } from "../../kernel/approvals.ts";
import { refusalOf, startLoop } from "./loop-for-tests.ts";
import { scriptModels, type ScriptedModels } from "./scripted-models-for-tests.ts";

const times = (count: number, name = "a__echo") =>
  Array.from({ length: count }, (_, n) => ({ name, id: `c${n}`, input: { n } }));
const echo = ({ input }: { input: Readonly<Record<string, unknown>> }) => `said ${String(input["n"])}`;

const resultsIn = (models: ScriptedModels, request = 1) => {
  const last = models.requests[request]?.messages.at(-1);
  return last?.role === "tool" ? last.results : [];
};

test("all calls start before one ends, and results return in the order of the calls, whatever order they ended in", async () => {
  const orders = fc.shuffledSubarray([0, 1, 2, 3, 4, 5, 6, 7], { minLength: 8 });
  await fc.assert(
    fc.asyncProperty(orders, async (order) => {
      const models = scriptModels([{ calls: times(8) }, { text: "Done." }]);
      const open: (() => void)[] = [];
      const run = startLoop({
        models,
        tools: {
          a__echo: async (call) => {
            await new Promise<void>((resolve) => open.push(resolve));
            return echo(call);
          },
        },
      });
      while (open.length < 8) await turn();
      for (const index of order) {
        open[index]?.();
        await turn();
      }
      const { calls } = await run.end;
      expect(run.told.slice(9, -1)).toEqual(order.map((index) => `done c${index}`));
      expect(resultsIn(models).map(({ callId, text }) => [callId, text])).toEqual(
        times(8).map(({ id }, n) => [id, `said ${n}`]),
      );
      expect(calls.map(({ id }) => id)).toEqual(times(8).map(({ id }) => id));
      expect(run.kept[0]?.calls).toEqual(calls);
    }),
    { numRuns: 20 },
  );
});

test("one that fails or is refused does not hold back the others, and the model hears why", async () => {
  const models = scriptModels([{ calls: [{ name: "a__bad" }, { name: "a__echo" }, { name: "nowhere" }] }, {}]);
  const run = startLoop({
    models,
    tools: { a__bad: () => ({ ok: false, outcome: "failure", text: "it broke" }), a__echo: () => "fine" },
  });
  const { calls } = await run.end;
  expect(calls.map(({ ok, outcome, code }) => [ok, outcome, code])).toEqual([
    [false, "failure", undefined],
    [true, "success", undefined],
    [false, "denied", "unknown_tool"],
  ]);
  expect(resultsIn(models).map(({ text, isError }) => [text, isError])).toEqual([
    ["it broke", true],
    ["fine", false],
    ["unknown_tool: There is no tool nowhere.", true],
  ]);
  expect(run.told).toContain("done call_3 unknown_tool");
});

test("of a thousand calls 128 run, all at once and in order, and the others are told the limit", async () => {
  const models = scriptModels([{ calls: times(1000) }, { text: "Done." }]);
  let [running, most] = [0, 0];
  const run = startLoop({
    models,
    tools: {
      a__echo: async (call) => {
        most = Math.max(most, ++running);
        await turn();
        running--;
        return echo(call);
      },
    },
  });
  const { calls } = await run.end;
  expect(most).toBe(128);
  expect(run.orders.map(({ id }) => id)).toEqual(times(128).map(({ id }) => id));
  expect(calls).toHaveLength(1000);
  expect(calls.filter(({ ok }) => ok)).toHaveLength(128);
  expect(calls[128]).toMatchObject({ id: "c128", ok: false, outcome: "denied" });
  expect(resultsIn(models)).toHaveLength(1000);
  expect(resultsIn(models)[999]).toMatchObject({ callId: "c999", isError: true });
  expect(resultsIn(models)[999]?.text).toContain("too_large: Not run: one answer may ask for at most 128 calls.");
  // That there were too many is no fault of the tool.
  expect(models.requests[1]?.tools).toHaveLength(1);
});

test("calls that wait for a person do not hold back those behind them", async () => {
  const models = scriptModels([{ calls: [...times(20, "a__ask"), { name: "a__echo", id: "last" }] }, {}]);
  const decided = Promise.withResolvers<void>();
  const run = startLoop({
    models,
    tools: {
      a__ask: async ({ waits, progress, id }) => {
        waits({ id: `ap_${id}` } as WaitingApproval);
        await decided.promise;
        progress({ progress: 1 });
        return "approved";
      },
      a__echo: () => {
        decided.resolve();
        return "fine";
      },
    },
  });
  const { calls } = await run.end;
  expect(calls.every(({ ok }) => ok)).toBe(true);
  expect(run.told).toContain("approval c19 a__ask ap_c19");
  expect(run.told).toContain("progress c0 1");
});

test("arguments that are no JSON object, or too deep to be written down, are not run", async () => {
  const deep = JSON.parse(`${'{"a":'.repeat(20_000)}1${"}".repeat(20_000)}`) as Record<string, unknown>;
  const calls = [
    { name: "a__echo", input: null, inputText: "[1" },
    { name: "a__echo", input: deep, inputText: "{}" },
    { name: "a__echo", input: { n: 3 } },
  ];
  const models = scriptModels([{ calls }, {}]);
  const run = startLoop({ models, tools: { a__echo: echo } });
  const end = await run.end;
  expect(run.orders.map(({ id }) => id)).toEqual(["call_3"]);
  expect(resultsIn(models).map(({ isError }) => isError)).toEqual([true, true, false]);
  expect(resultsIn(models)[0]?.text).toContain("invalid_input: a__echo was not run: its arguments are no JSON object");
  expect(end.calls[0]).toMatchObject({ input: "[1", ok: false, outcome: "denied" });
  expect(() => JSON.stringify([end, models.requests[1]?.messages])).not.toThrow();
});

test("when an answer was cut its whole calls run, and the one whose arguments were cut does not", async () => {
  const calls = [
    { name: "a__echo", input: { n: 1 } },
    { name: "a__echo", input: null, inputText: '{"n":' },
  ];
  const models = scriptModels([{ text: "I", calls, finish: "length" }, { text: "Done." }]);
  const run = startLoop({ models, tools: { a__echo: echo } });
  const end = await run.end;
  expect(end).toMatchObject({ text: "I\n\nDone.", iterations: 2 });
  expect(run.orders).toHaveLength(1);
  expect(resultsIn(models)[1]?.text).toContain("its arguments were cut by the limit of output tokens");
  expect(end.calls[1]).toMatchObject({ input: '{"n":', ok: false });
});

test("a model that numbers the calls of every answer anew gets ids that are its own in the run", async () => {
  const models = scriptModels((index) => (index < 2 ? { calls: [{ name: "a__echo", id: "0" }] } : {}));
  const { calls } = await startLoop({ models, tools: { a__echo: echo } }).end;
  const ids = calls.map(({ id }) => id);
  expect(ids[0]).toBe("0");
  expect(new Set(ids).size).toBe(2);
  expect(resultsIn(models, 2)[0]?.callId).toBe(ids[1]);
});

test.each(["evidence_unavailable", "outcome_unrecorded"] as const)(
  "after %s the run ends when the calls of the answer have, with what was done kept",
  async (code) => {
    const models = scriptModels([{ text: "Trying.", calls: times(40) }]);
    const run = startLoop({
      models,
      tools: {
        a__echo: async (call) => {
          if (call.id === "c1") return { ok: false, outcome: "denied", code, text: `${code}: no` };
          await turn();
          return echo(call);
        },
      },
    });
    const refusal = await refusalOf(run);
    expect(refusal.kind).toBe("evidence_unavailable");
    expect(refusal.next).toContain("bailiwick doctor");
    // All had begun together, and are waited for.
    expect(run.orders).toHaveLength(40);
    expect(models.requests).toHaveLength(1);
    expect(run.kept).toMatchObject([
      { text: "Trying.", interrupted: true, stopReason: null, usage: { inputTokens: 10 } },
    ]);
    const { calls } = run.kept[0] ?? { calls: [] };
    expect(calls.map(({ ok }) => ok)).toEqual(times(40).map((_, n) => n !== 1));
    expect(calls[1]).toMatchObject({ id: "c1", outcome: "denied", code });
  },
);

test("a bug in a call is kept as unknown, shows nothing of its inside, and ends the run when the others have ended", async () => {
  const models = scriptModels([{ calls: times(3) }]);
  const run = startLoop({
    models,
    tools: {
      a__echo: async (call) => {
        if (call.id === "c0") throw new TypeError("x of undefined");
        await turn();
        return echo(call);
      },
    },
  });
  await expect(run.end).rejects.toThrow("x of undefined");
  expect(run.kept[0]?.calls.map(({ outcome }) => outcome)).toEqual(["indeterminate", "success", "success"]);
  expect(JSON.stringify(run.kept)).not.toContain("undefined");
  expect(run.told.filter((line) => line.startsWith("done"))).toHaveLength(3);
});

test("a listener that fails ends the run when all calls have ended, and calls are kept as they ended", async () => {
  const models = scriptModels([{ calls: times(2) }]);
  const run = startLoop({
    models,
    tools: { a__echo: echo },
    on: {
      toolDone: () => {
        throw new Error("gone");
      },
    },
  });
  await expect(run.end).rejects.toThrow("gone");
  expect(run.kept[0]?.calls.map(({ outcome }) => outcome)).toEqual(["success", "success"]);
});
