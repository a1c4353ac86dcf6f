/** The text of a run: what is told, joined, is the text at the end, and answers that were cut go on. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { startLoop } from "./loop-for-tests.ts";
import { scriptModels, type ScriptedTurn } from "./scripted-models-for-tests.ts";

const tools = { a__echo: () => "said" };
const CALLS = [{ name: "a__echo" }];

test("joined deltas are the text of the run, and that of its iterations with blank lines between, however it is cut", async () => {
  const piece = fc.oneof(fc.string({ maxLength: 4 }), fc.constantFrom("", " ", "\n", "\n\n", "\ud83d", "\ude00"));
  const turn = fc.record({ text: fc.array(piece, { maxLength: 4 }), isCut: fc.boolean(), asks: fc.boolean() });
  await fc.assert(
    fc.asyncProperty(fc.array(turn, { maxLength: 8 }), async (turns) => {
      const models = scriptModels((index): ScriptedTurn => {
        const { text = [], isCut = false, asks = false } = turns[index] ?? {};
        return { text, ...(asks && { calls: CALLS }), ...(isCut && { finish: "length" }) };
      });
      const run = startLoop({ models, tools, maxIterations: 6 });
      const end = await run.end;
      expect(run.deltas.join("")).toBe(end.text);
      expect(run.deltas).not.toContain("");
      let expected = "";
      let joint = "\n\n";
      for (const { text, calls, finish } of run.kept) {
        if (text !== "") expected += (expected === "" ? "" : joint) + text;
        joint = finish === "length" && calls.length === 0 && text.trim() !== "" ? "" : "\n\n";
      }
      expect(end.text).toBe(expected);
      expect(run.kept).toHaveLength(end.iterations);
      expect(run.kept.filter(({ stopReason }) => stopReason !== null)).toEqual([run.kept.at(-1)]);
    }),
    { numRuns: 100 },
  );
});

test("the blank line is told by itself, right before the later text", async () => {
  const models = scriptModels([
    { text: "One.", calls: CALLS },
    { calls: CALLS },
    { text: [" ", "Three."], calls: CALLS },
    {},
  ]);
  const run = startLoop({ models, tools: { a__echo: ({ id }) => id } });
  expect((await run.end).text).toBe("One.\n\n Three.");
  expect(run.deltas).toEqual(["One.", "\n\n", " ", "Three."]);
});

test("an answer that was cut goes on where it stopped, without a joint", async () => {
  const models = scriptModels([
    { text: "The answer is for", finish: "length" },
    { text: "ty-t", finish: "length" },
    { text: "wo." },
  ]);
  const run = startLoop({ models });
  expect(await run.end).toMatchObject({
    text: "The answer is forty-two.",
    stopReason: "complete",
    finish: "stop",
    iterations: 3,
  });
  expect(models.requests[2]?.messages).toEqual([
    { role: "user", text: "Hello\n\n<now>" },
    { role: "assistant", text: "The answer is for", calls: [] },
    { role: "user", text: expect.stringContaining("Go on exactly where it stopped") },
    { role: "assistant", text: "ty-t", calls: [] },
    { role: "user", text: expect.stringContaining("Go on exactly where it stopped") },
  ]);
  expect(run.kept.map(({ text, stopReason }) => [text, stopReason])).toEqual([
    ["The answer is for", null],
    ["ty-t", null],
    ["wo.", "complete"],
  ]);
});

test("after three continuations the run is complete, and says that it was cut", async () => {
  const models = scriptModels(() => ({ text: "more ", finish: "length" }));
  expect(await startLoop({ models }).end).toMatchObject({
    text: "more more more more ",
    stopReason: "complete",
    finish: "length",
    iterations: 4,
  });
});

test("a run has three continuations in all, whatever it does between them", async () => {
  const cut: ScriptedTurn = { text: "a", finish: "length" };
  const models = scriptModels([cut, cut, { text: "b", calls: CALLS }, cut, cut]);
  expect(await startLoop({ models, tools }).end).toMatchObject({
    text: "aab\n\naa",
    iterations: 5,
    finish: "length",
  });
});

test.each([
  ["iterations", { maxIterations: 2 }, 2],
  ["input tokens", { maxInputTokens: 15 }, 2],
])("no continuation goes beyond the limit of %s", async (_, limits, iterations) => {
  const models = scriptModels(() => ({ text: "x", finish: "length" }));
  expect(await startLoop({ models, ...limits }).end).toMatchObject({
    text: "xx",
    stopReason: "complete",
    finish: "length",
    iterations,
  });
});

test("an answer that was cut before it said anything is asked for again, without empty messages", async () => {
  const models = scriptModels([{ finish: "length" }, { text: "Short." }]);
  const run = startLoop({ models });
  expect(await run.end).toMatchObject({ text: "Short.", iterations: 2 });
  expect(models.requests[1]?.messages).toEqual([
    { role: "user", text: expect.stringContaining("cut by the limit of output tokens before it said anything") },
  ]);
});
