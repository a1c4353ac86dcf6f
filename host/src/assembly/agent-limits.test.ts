/** Limits of a run and why it stops, over REST, with a real bundle and the stub on both wires. */
import { describe, expect, test } from "vitest";
import type { StubScript, StubTurn } from "../agent/model/stub-turn-for-tests.ts";
import { firstOf, makeAgentPlace, startAgent, WIRES, type AgentHost, type Json } from "./agent-host-for-tests.ts";

const LAST = "This is the last call of this run";

/** Asks for a tool for ever, each time otherwise. */
const asking: StubScript = (_, index) => ({ calls: [{ name: "desk__echo", input: { n: index } }] });
const asks = (usage: NonNullable<StubTurn["usage"]>, n = 0): StubTurn => ({
  calls: [{ name: "desk__echo", input: { n } }],
  usage,
});

const historyOf = async (host: AgentHost, { conversationId }: Json): Promise<readonly Json[]> =>
  (await host.rest("GET", `/v1/conversations/${conversationId}/history`)).json.messages as Json[];

describe.each(WIRES)("on the wire of %s", (wire) => {
  test("ten model calls are made where nobody says otherwise; the last is told so, and its tools do not run", async () => {
    const { place, ...host } = await startAgent({ wire });
    const { status, json } = await host.ask("go on for ever", asking);
    expect(status).toBe(200);
    expect(json).toMatchObject({ stopReason: "max_iterations", finishReason: "tool-calls" });
    expect(json["usage"].iterations).toBe(10);
    const told = place.stub.requests().map(({ body }) => JSON.stringify(body).includes(LAST));
    expect(told).toEqual([...Array<boolean>(9).fill(false), true]);
    expect(place.effects()).toHaveLength(9);
    expect(json["toolCalls"]).toHaveLength(10);
    const dropped = json["toolCalls"].at(-1) as Json;
    expect(dropped).toMatchObject({ name: "desk__echo", ok: false, outcome: null, dropped: "iteration_limit" });
    expect(dropped["output"]).toMatch(/^Not run: .*maxIterations.*Send another message to go on\.$/);
    expect(json["response"]).toBe(
      "The limit of model calls for one message (maxIterations: 10) was reached before there was an answer. Send another message to go on from here.",
    );
    const last = (await historyOf(host, json)).at(-1);
    expect(last).toMatchObject({ content: json["response"], stopReason: "max_iterations", toolCalls: [dropped] });
  });

  test("a request may ask for more or fewer model calls, and never gets more than 25", async () => {
    const { place, ...host } = await startAgent({ wire, settings: { maxIterations: 3 } });
    const calls = async (order: Json): Promise<number> => {
      const before = place.stub.requests().length;
      const { json } = await host.ask({ message: "go", ...order }, asking);
      expect(json).toMatchObject({ stopReason: "max_iterations" });
      return place.stub.requests().length - before;
    };
    expect(await calls({})).toBe(3);
    expect(await calls({ maxIterations: 1 })).toBe(1);
    expect(await calls({ maxIterations: 24 })).toBe(24);
    expect(await calls({ maxIterations: 1_000 })).toBe(25);
    expect((await host.rest("POST", "/v1/chat", { message: "go", maxIterations: 0 })).status).toBe(400);
  });

  test("an answer with text keeps it when its calls are dropped, and no sentence is added", async () => {
    const { place, ...host } = await startAgent({ wire });
    const events = await host.hear({ message: "go", maxIterations: 1 }, [
      { text: "I would look.", calls: [{ name: "desk__echo" }, { name: "desk__echo" }] },
    ]);
    const { data } = events.at(-1) as { data: Json };
    expect(data["response"]).toBe("I would look.");
    expect(data["toolCalls"]).toMatchObject([{ dropped: "iteration_limit" }, { dropped: "iteration_limit" }]);
    expect(place.effects()).toEqual([]);
    // What never began has no events.
    expect(events.map(({ event }) => event)).toEqual(["chat.start", "text.delta", "llm.done", "done"]);
  });

  test("calls above the input tokens are dropped, cached tokens counted; what came before them is kept", async () => {
    const { place, ...host } = await startAgent({ wire, settings: { maxInputTokens: 1_000 } });
    const { json } = await host.ask("go", [
      asks({ input: 500, output: 1, cacheRead: 400 }),
      asks({ input: 500, output: 1, cacheRead: 400 }, 1),
      { text: "One more.", ...asks({ input: 1, output: 1 }, 2) },
    ]);
    // Exactly the limit is not above it.
    expect(place.effects()).toHaveLength(2);
    expect(json).toMatchObject({ response: "One more.", stopReason: "token_budget", inputTokens: 1_001 });
    expect(json["usage"]).toMatchObject({ iterations: 3, cacheReadTokens: 800, inputTokens: 1_001, outputTokens: 3 });
    expect(json["toolCalls"].map(({ ok, dropped }: Json) => [ok, dropped])).toEqual([
      [true, undefined],
      [true, undefined],
      [false, "token_budget"],
    ]);
    expect(json["toolCalls"][2].output).toMatch(/1000 input tokens \(maxInputTokens\).*Send another message to go on/);
    expect((await historyOf(host, json)).at(-1)).toMatchObject({ stopReason: "token_budget", content: "One more." });
  });

  test("where the input tokens leave no answer, one sentence names the limit and how to go on", async () => {
    const host = await startAgent({ wire, settings: { maxInputTokens: 1_000 } });
    const events = await host.hear("go", [asks({ input: 1_001, output: 1 })]);
    const { response, stopReason } = firstOf(events, "done");
    expect(stopReason).toBe("token_budget");
    expect(response).toBe(
      "The limit of input tokens for one message (maxInputTokens: 1000) was reached before there was an answer. Send another message to go on from here.",
    );
    expect(firstOf(events, "text.delta")["text"]).toBe(response);
  });

  test("an answer without calls is complete even if it crossed the limit of input tokens", async () => {
    const host = await startAgent({ wire, settings: { maxInputTokens: 1_000 } });
    const { json } = await host.ask("go", [{ text: "All of it.", usage: { input: 5_000, output: 1 } }]);
    expect(json).toMatchObject({ response: "All of it.", stopReason: "complete", finishReason: "stop" });
  });

  test("the next message begins with a budget of its own", async () => {
    const { place, ...host } = await startAgent({ wire, settings: { maxInputTokens: 1_000, maxIterations: 2 } });
    const { json } = await host.ask("go", [asks({ input: 900, output: 1 }), asks({ input: 900, output: 1 }, 1)]);
    expect(json["stopReason"]).toBe("token_budget");
    const again = await host.ask({ message: "go on", conversationId: json["conversationId"] }, [
      asks({ input: 900, output: 1 }, 2),
      { text: "Done." },
    ]);
    expect(again.json).toMatchObject({ stopReason: "complete", response: "Done.", inputTokens: 910 });
    expect(place.effects()).toHaveLength(2);
  });

  test("what a delegate used counts against the run that asked for it", async () => {
    const { place, ...host } = await startAgent({ wire, settings: { maxInputTokens: 1_000 } });
    const { json } = await host.ask("go", (request) => {
      if (request.last.startsWith("the task"))
        return { text: "Child.", usage: { input: 800, output: 7, cacheRead: 300 } };
      if (request.results.length > 0) return asks({ input: 101, output: 1 });
      return { calls: [{ name: "nb__delegate", input: { task: "the task" } }], usage: { input: 100, output: 1 } };
    });
    expect(json).toMatchObject({ stopReason: "token_budget", inputTokens: 1_001, outputTokens: 9 });
    expect(json["usage"]).toMatchObject({ inputTokens: 1_001, cacheReadTokens: 300, iterations: 2 });
    expect(json["toolCalls"]).toMatchObject([{ name: "nb__delegate", ok: true }, { dropped: "token_budget" }]);
    expect(place.effects()).toEqual([]);
  });

  test("every model call says how much it may write", async () => {
    const { place, ...host } = await startAgent({ wire });
    await host.ask("go", [{ text: "Yes." }]);
    await host.stop();
    const small = await startAgent({ wire, settings: { maxOutputTokens: 777 } });
    await small.ask("go", [asks({ input: 1, output: 1 }), { text: "Yes." }]);
    expect(place.stub.requests().map(({ body }) => body["max_tokens"])).toEqual([16_384]);
    expect(small.place.stub.requests().map(({ body }) => body["max_tokens"])).toEqual([777, 777]);
  });

  test("a text that was cut goes on three times at most, and reads as one text", async () => {
    const host = await startAgent({ wire });
    const cut = (text: string): StubTurn => ({ text, finish: "length" });
    const { json } = await host.ask("go", [cut("one tw"), cut("o thr"), { text: "ee" }]);
    expect(json).toMatchObject({ response: "one two three", stopReason: "complete", finishReason: "stop" });
    expect(json["usage"].iterations).toBe(3);
    const forEver = await host.ask("go", [{ ...cut("a"), forever: true }]);
    expect(forEver.json).toMatchObject({ response: "aaaa", stopReason: "complete", finishReason: "length" });
    expect(forEver.json["usage"].iterations).toBe(4);
    const few = await host.ask({ message: "go", maxIterations: 2 }, [{ ...cut("a"), forever: true }]);
    expect(few.json).toMatchObject({ response: "aa", finishReason: "length" });
  });

  test("a call whose arguments were cut is not run, and the model is told", async () => {
    const { place, ...host } = await startAgent({ wire });
    const { json } = await host.ask("go", [
      {
        calls: [
          { name: "desk__echo", input: { n: 1 } },
          { name: "desk__echo", inputText: '{"n":' },
        ],
        finish: "length",
      },
      { text: "Shorter then." },
    ]);
    expect(place.effects()).toEqual(["echo"]);
    expect(json["toolCalls"]).toMatchObject([{ ok: true }, { ok: false, outcome: "denied", input: '{"n":' }]);
    expect(place.stub.requests()[1]?.results[1]?.text).toMatch(/^invalid_input: desk__echo was not run: .*were cut/);
    expect(json["response"]).toBe("Shorter then.");
  });
});

test("a configuration that asks for more than 25 model calls does not start", async () => {
  const place = await makeAgentPlace({ settings: { maxIterations: 26 } });
  await expect(place.open()).rejects.toThrow(/maxIterations/);
});
