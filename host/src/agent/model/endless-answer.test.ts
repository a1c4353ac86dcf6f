/** A model that does not keep to the limit of output tokens, over real HTTP on both wires. */
import { describe, expect, test } from "vitest";
import { collect, ON_WIRES, requestFor, startModels } from "./models-for-tests.ts";

const PIECE = "x".repeat(1_000);
const hundred = Array.from({ length: 100 }, () => PIECE);

describe.each(ON_WIRES)("on %s", (_, model) => {
  test.each([
    ["the least that is read", 10, 65],
    ["sixteen characters a token", 5_000, 80],
  ])(
    "a text is cut at %s, as one that the limit cut, and the connection is closed",
    async (__, maxOutputTokens, most) => {
      const { stub, models } = await startModels();
      stub.script([{ text: hundred, fault: "hang" }]);
      const events = await collect(models.call(requestFor(model, { maxOutputTokens })));
      expect(events.filter(({ type }) => type === "text")).toHaveLength(most);
      expect(events.at(-1)).toMatchObject({ type: "done", finish: "length", usage: { estimated: true } });
      await expect.poll(() => stub.requests()[0]?.left).toBe(true);
    },
  );

  test("arguments that never end are cut, and the call has no input", async () => {
    const { stub, models } = await startModels();
    stub.script([{ calls: [{ id: "c1", name: "a__b", inputText: `{"x":"${PIECE.repeat(200)}"}` }], fault: "hang" }]);
    const events = await collect(models.call(requestFor(model)));
    expect(events).toMatchObject([
      { type: "call", call: { id: "c1", input: null } },
      { type: "done", finish: "length" },
    ]);
  });
});
