/** Arguments of a call, whole or cut. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { GatheredCalls } from "./gather-calls.ts";

const objects = fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 3 })).map((value) => JSON.stringify(value));

const gather = (text: string, isCut: boolean) => {
  const calls = new GatheredCalls();
  calls.start("a", "x__y");
  calls.add("a", text);
  calls.end("a", "x__y", text === "" ? "{}" : text);
  return calls.finish(isCut)[0];
};

test("an object that came whole is the input", () => {
  fc.assert(
    fc.property(objects, (text) => {
      expect(gather(text, false)).toMatchObject({ inputText: text });
      expect(JSON.stringify(gather(text, false)?.input)).toBe(JSON.stringify(JSON.parse(text)));
    }),
  );
});

test("arguments cut at any place are no input", () => {
  fc.assert(
    fc.property(objects, fc.nat(), (text, at) => {
      expect(gather(text.slice(0, at % text.length), true)?.input).toBeNull();
    }),
  );
});

test("a call of which only the beginning came is told, and has no input", () => {
  const calls = new GatheredCalls();
  calls.start("a", "x__y");
  calls.add("a", "{}");
  expect(calls.finish(false)).toEqual([{ id: "a", name: "x__y", input: null, inputText: "{}" }]);
});
