/** The stream of a chat and its result, as clients of the API see them. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { StubTurn } from "../agent/model/stub-turn-for-tests.ts";
import type { ReadEvent } from "../transport/chat-reader-for-tests.ts";
import { firstOf, MODELS, startAgent, WIRES, type Json } from "./agent-host-for-tests.ts";

const deltas = (events: readonly ReadEvent[]): string =>
  events
    .filter(({ event }) => event === "text.delta")
    .map(({ data }) => data.text as string)
    .join("");

const TURNS: readonly StubTurn[] = [
  {
    text: ["Let ", "me."],
    calls: [{ id: "c1", name: "desk__echo", input: { a: 1 } }],
    usage: { input: 100, output: 7, cacheRead: 40 },
  },
  { calls: [{ id: "c2", name: "desk__echo", input: { fail: true } }] },
  { text: ["Do", "ne."], usage: { input: 120, output: 3 } },
];

describe.each(WIRES)("on the wire of %s", (wire) => {
  const model = MODELS[wire];

  test("the events come in order, numbered from 1, each with the run and exactly its fields", async () => {
    const host = await startAgent({ wire });
    const events = await host.hear("go", TURNS);
    const { runId, conversationId } = firstOf(events);
    expect(runId).toMatch(/^run_[0-9a-f]+$/);
    expect(events.map(({ id }) => id)).toEqual(events.map((_, index) => String(index + 1)));
    expect(events.every(({ data }) => data.runId === runId && !("parentRunId" in data))).toBe(true);
    const llm = { runId, cacheReadTokens: 0, cacheCreationTokens: 0, inputTokens: 10, outputTokens: 5 };
    const call = { name: "desk__echo", runId };
    const result = (text: string): Json => ({ content: [{ type: "text", text }] });
    const did = { ...call, ms: expect.any(Number), evidenceId: expect.stringMatching(/^evt_/) };
    expect(events.map(({ event, data }) => [event, data])).toEqual([
      ["chat.start", { runId, conversationId, model, skill: null, directTools: 33 }],
      ["text.delta", { runId, text: "Let " }],
      ["text.delta", { runId, text: "me." }],
      [
        "llm.done",
        { ...llm, iteration: 1, inputTokens: 100, outputTokens: 7, cacheReadTokens: 40, finishReason: "tool-calls" },
      ],
      ["tool.start", { ...call, id: "c1" }],
      ["tool.done", { ...did, id: "c1", ok: true, outcome: "success", result: result('echo {"a":1}') }],
      ["llm.done", { ...llm, iteration: 2, finishReason: "tool-calls" }],
      ["tool.start", { ...call, id: "c2" }],
      [
        "tool.done",
        { ...did, id: "c2", ok: false, outcome: "failure", result: { ...result('echo {"fail":true}'), isError: true } },
      ],
      ["text.delta", { runId, text: "\n\n" }],
      ["text.delta", { runId, text: "Do" }],
      ["text.delta", { runId, text: "ne." }],
      ["llm.done", { ...llm, iteration: 3, inputTokens: 120, outputTokens: 3, finishReason: "stop" }],
      ["done", events.at(-1)?.data],
    ]);
  });

  test("the result has exactly the members of a ChatResult, at both doors, and is what the conversation keeps", async () => {
    const host = await startAgent({ wire });
    const events = await host.hear("go", TURNS);
    const { status, json } = await host.ask("go", TURNS);
    expect(status).toBe(200);
    const called = { name: "desk__echo", ms: expect.any(Number), evidenceId: expect.stringMatching(/^evt_/) };
    const expected = {
      response: "Let me.\n\nDone.",
      conversationId: expect.stringMatching(/^conv_[0-9a-f]{16}$/),
      runId: expect.stringMatching(/^run_/),
      skillName: null,
      toolCalls: [
        { ...called, id: "c1", input: { a: 1 }, output: 'echo {"a":1}', ok: true, outcome: "success" },
        { ...called, id: "c2", input: { fail: true }, output: 'echo {"fail":true}', ok: false, outcome: "failure" },
      ],
      stopReason: "complete",
      finishReason: "stop",
      inputTokens: 230,
      outputTokens: 15,
      usage: {
        inputTokens: 230,
        outputTokens: 15,
        cacheCreationTokens: 0,
        cacheReadTokens: 40,
        costUsd: null,
        model,
        llmMs: expect.any(Number),
        iterations: 3,
        estimated: false,
      },
    };
    expect(json).toEqual(expected);
    expect(events.at(-1)?.data).toEqual(expected);
    expect(deltas(events)).toBe(expected.response);
    const { messages } = (await host.rest("GET", `/v1/conversations/${json["conversationId"]}/history`)).json;
    expect(messages).toMatchObject([
      { role: "user", content: "go", runId: json["runId"] },
      { role: "assistant", content: "Let me.", toolCalls: [json["toolCalls"][0]], inputTokens: 100, outputTokens: 7 },
      { role: "assistant", content: "", toolCalls: [json["toolCalls"][1]] },
      { role: "assistant", content: "Done.", stopReason: "complete", model, runId: json["runId"] },
    ]);
    expect(messages).toHaveLength(4);
  });

  test("all deltas joined are the response, however a model cuts its answers", async () => {
    const host = await startAgent({ wire });
    const pieces = fc.array(fc.oneof(fc.string({ maxLength: 6 }), fc.constantFrom("", " ", "\n", "\n\n", "é", "👋")), {
      maxLength: 5,
    });
    const turn = fc.record({
      text: pieces,
      ends: fc.constantFrom("calls", "cut", "well"),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(turn, { minLength: 1, maxLength: 4 }), async (turns) => {
        const script = turns.map(({ text, ends }, index): StubTurn => ({
          text,
          ...(ends === "calls" ? { calls: [{ name: "desk__echo", input: { index } }] } : {}),
          ...(ends === "cut" ? { finish: "length" } : {}),
        }));
        const events = await host.hear("go", [...script, { text: "end" }]);
        const { event, data } = events.at(-1) as ReadEvent;
        expect(event).toBe("done");
        expect(deltas(events)).toBe(data.response);
        expect(events.filter(({ event: each }) => each === "done" || each === "error")).toHaveLength(1);
      }),
      { numRuns: 25 },
    );
  });

  test("separators stand only between texts: an iteration without text leaves none", async () => {
    const host = await startAgent({ wire });
    const call = (n: number): Pick<StubTurn, "calls"> => ({ calls: [{ name: "desk__echo", input: { n } }] });
    const { json } = await host.ask("go", [call(1), { text: "A", ...call(2) }, call(3), { text: "B", ...call(4) }, {}]);
    expect(json["response"]).toBe("A\n\nB");
  });

  test("who comes back after an event hears each of the others once, also when the run has ended", async () => {
    const { place, ...host } = await startAgent({ wire });
    const held = place.hold("a");
    const reader = await host.stream("go", [
      { text: ["One."], calls: [{ name: "desk__echo", input: { hold: held.path } }] },
      { text: "Two." },
    ]);
    await reader.until("tool.start");
    reader.leave();
    const seen = Number(reader.events.at(-1)?.id);
    const { runId } = firstOf(reader.events);
    const again = await host.listenTo(runId, seen);
    held.letGo();
    await again.ended;
    expect(again.events.map(({ id }) => Number(id))).toEqual(again.events.map((_, index) => seen + index + 1));
    expect(deltas([...reader.events, ...again.events])).toBe("One.\n\nTwo.");
    const whole = await host.listenTo(runId);
    await whole.ended;
    expect(whole.events).toEqual([...reader.events, ...again.events]);
    const nothing = await host.listenTo(runId, whole.events.length);
    expect(nothing.status).toBe(204);
  });

  test("a bad request is answered with a status before any stream begins", async () => {
    const host = await startAgent({ wire });
    for (const order of [
      {},
      { message: "" },
      { message: "go", maxIterations: "2" },
      { message: "go", skill: "none" },
    ]) {
      const reader = await host.stream(order, []);
      await reader.ended;
      expect([reader.status, reader.events]).toEqual([400, []]);
    }
  });
});
