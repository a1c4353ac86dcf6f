import { expect, test } from "vitest";
import type { ToldEvent } from "../kernel/agent.ts";
import { rawJson } from "../kernel/raw-json.ts";
import { eventText } from "./chat-event-text.ts";

const DONE = { type: "tool.done", runId: "r", id: "c", name: "a__b", ok: true, ms: 1, outcome: "success" } as const;

test("what a tool answered stands in the event as it came, however deep", () => {
  const deep = `${"[".repeat(50_000)}1.0${"]".repeat(50_000)}`;
  const text = eventText({ ...DONE, evidenceId: null, resultJson: rawJson(deep) });
  expect(text).toBe(
    `{"runId":"r","id":"c","name":"a__b","ok":true,"ms":1,"outcome":"success","evidenceId":null,"result":${deep}}`,
  );
  expect(eventText({ ...DONE, evidenceId: null })).not.toContain('result"');
});

test("what cannot be written out takes nothing else of its event with it", () => {
  let deep: unknown = 1;
  for (let at = 0; at < 200_000; at++) deep = [deep];
  const event = { type: "done", runId: "r", response: "Done.", toolCalls: deep } as unknown as ToldEvent;
  expect(JSON.parse(eventText(event))).toEqual({
    runId: "r",
    response: "Done.",
    toolCalls: "(This cannot be written out.)",
  });
});
