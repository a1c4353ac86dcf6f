import { expect, test } from "vitest";
import type { Answer } from "../../kernel/call.ts";
import { rawJson } from "../../kernel/raw-json.ts";
import { Refusal } from "../../kernel/refusal.ts";
import { createEndings } from "./tool-ending.ts";

const endingOf = createEndings({
  shape: { mcp: () => ({ member: "result", json: rawJson("{}") }) },
  keepFile: () => Promise.resolve("files://fl_1"),
  reader: () => "run",
  report: () => {},
});

const answer = (ending: Answer["ending"]): Answer => ({
  ending,
  outcome: "failure",
  principal: null,
  evidenceId: "ev_1",
  tool: "nb__delegate",
});

test.each([
  [true, "passing"],
  [false, "error"],
])(
  "a sub-agent whose model failed counts against it only if that does not pass by itself: %s",
  async (retryable, bearing) => {
    const refusal = new Refusal("model_failed", { message: "It is busy.", next: "Later.", retryable });
    const ending = await endingOf("nb__delegate", answer({ kind: "refusal", refusal, stage: 10 }));
    expect(ending).toMatchObject({ ok: false, code: "model_failed", bearing });
  },
);

test("a result goes to clients as the text that came", async () => {
  const json = rawJson('{ "content" : [ {"type":"text","text":"\\u0041"} ], "n": 1.0 }');
  const ending = await endingOf("a__b", answer({ kind: "result", json, isError: false }));
  expect(ending).toMatchObject({ ok: true, resultJson: json, content: "A" });
});

test("a server's own error of very many values is told without them", async () => {
  const json = rawJson(`{"code":-1,"message":"no","data":[${"{},".repeat(200_000)}{}]}`);
  const ending = await endingOf("a__b", answer({ kind: "error", json, code: -1 }));
  expect(ending.content).toBe("The server answered with an error.");
  expect(JSON.parse(ending.resultJson)).toMatchObject({ isError: true });
});
