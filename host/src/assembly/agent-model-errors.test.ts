/** A model that is busy, away, wrong or not configured, as people who chat see it. */
import { describe, expect, test, vi } from "vitest";
import type { StubError, StubTurn } from "../agent/model/stub-turn-for-tests.ts";
import { makeAgentPlace, MODELS, startAgent, WIRES, type AgentHost, type Json } from "./agent-host-for-tests.ts";

const fails = (status: number, more: Partial<StubError> = {}): StubTurn => ({
  error: { status, message: "not now", ...more },
});
/** Nobody waits for it in tests. */
const AT_ONCE = { "retry-after": "0" };
const WELL: StubTurn = { text: "Well." };

const joined = (events: readonly { event: string | null; data: any }[]): string =>
  events
    .filter(({ event }) => event === "text.delta")
    .map(({ data }) => data.text as string)
    .join("");

const historyOf = async (host: AgentHost, id: string): Promise<readonly Json[]> =>
  (await host.rest("GET", `/v1/conversations/${id}/history`)).json.messages as Json[];

describe.each(WIRES)("on the wire of %s", (wire) => {
  test.each([
    ["429 that says when", fails(429, { headers: AT_ONCE })],
    ["529", fails(529, { headers: AT_ONCE, type: "overloaded_error" })],
    ["500", fails(500, { headers: AT_ONCE })],
    ["503", fails(503, { headers: AT_ONCE })],
  ])("a %s is tried three times more, as one iteration", async (_, busy) => {
    const { place, ...host } = await startAgent({ wire });
    const { status, json } = await host.ask("go", [busy, busy, busy, WELL]);
    expect(status).toBe(200);
    expect(json).toMatchObject({ response: "Well.", stopReason: "complete", usage: { iterations: 1 } });
    expect(place.stub.requests()).toHaveLength(4);
    const failed = await host.ask("go", [{ ...busy, forever: true }]);
    expect(failed.status).toBe(502);
    expect(failed.json).toMatchObject({ error: "model_failed" });
    expect(failed.json["message"]).toContain("It was tried 4 times.");
    expect(failed.json["remedy"]).not.toBe("");
    expect(place.stub.requests()).toHaveLength(8);
  });

  test("a connection that is lost before anything came is tried again by itself", async () => {
    const { place, ...host } = await startAgent({ wire });
    const { json } = await host.ask("go", [{ error: "reset" }, WELL]);
    expect(json).toMatchObject({ response: "Well." });
    expect(place.stub.requests()).toHaveLength(2);
  });

  test("a longer wait than 30 s is not waited for: the person is told how long it is", async () => {
    const { place, ...host } = await startAgent({ wire });
    const { status, json } = await host.ask("go", [fails(429, { headers: { "retry-after": "90" } })]);
    expect(status).toBe(502);
    expect(json).toMatchObject({ error: "model_failed" });
    expect(json["remedy"]).toContain("90 seconds");
    expect(place.stub.requests()).toHaveLength(1);
  });

  test("an answer that is cut after its first words is not asked for again; what came is kept", async () => {
    const { place, ...host } = await startAgent({ wire });
    const events = await host.hear("go", [{ text: ["Half of ", "it"], fault: "cut" }, WELL]);
    const last = events.at(-1);
    expect(last?.event).toBe("error");
    expect(last?.data).toMatchObject({ error: "model_failed" });
    expect(last?.data.remedy).not.toBe("");
    expect(joined(events)).toBe("Half of it");
    expect(place.stub.requests()).toHaveLength(1);
    const id = events[0]?.data.conversationId as string;
    const stored = (await historyOf(host, id)).at(-1);
    expect(stored).toMatchObject({ role: "assistant", content: "Half of it", interrupted: true });
    expect(stored).not.toHaveProperty("stopReason");
    await host.ask({ message: "go on", conversationId: id }, [WELL]);
    expect(place.stub.requests()[1]?.last).toContain("was interrupted");
  });

  test("a key that is refused is not tried again, and never shown", async () => {
    const { place, ...host } = await startAgent({ wire });
    const { status, json } = await host.ask("go", [fails(401, { message: "bad key sk-ant-test" })]);
    expect(status).toBe(502);
    expect(json).toMatchObject({ error: "model_failed" });
    expect(JSON.stringify(json)).not.toContain("sk-ant-test");
    expect(place.stub.requests()).toHaveLength(1);
    const ended = place.events().filter(({ event_type }) => event_type === "dev.bailiwick.run_ended");
    expect(ended.map(({ payload }) => payload["error"])).toEqual(["model_failed"]);
  });

  test("a conversation that is too long for the model is sent once more without its oldest turns", async () => {
    const { place, ...host } = await startAgent({ wire });
    const { json } = await host.ask("the first message", [WELL]);
    const { conversationId } = json;
    await host.ask({ message: "the second message", conversationId }, [WELL]);
    const long =
      wire === "anthropic"
        ? fails(400, { message: "prompt is too long: 210000 tokens > 200000 maximum" })
        : fails(400, { type: "context_length_exceeded", message: "maximum context length" });
    const before = place.stub.requests().length;
    const third = await host.ask({ message: "the third message", conversationId }, [long, WELL]);
    expect(third.json).toMatchObject({ response: "Well.", usage: { iterations: 1 } });
    const [whole, shorter] = place.stub.requests().slice(before);
    expect(JSON.stringify(whole?.body)).toContain("the first message");
    expect(JSON.stringify(shorter?.body)).not.toContain("the first message");
    expect(shorter?.last).toContain("the third message");
    expect(shorter?.last).toContain("Earlier messages of this conversation were left out");
    const fourth = await host.ask({ message: "the fourth message", conversationId }, [long, long, WELL]);
    expect(fourth.status).toBe(502);
    // The file keeps all.
    expect((await historyOf(host, conversationId))[0]).toMatchObject({ content: "the first message" });
  });

  test("a model that reports no usage is estimated, and says so", async () => {
    const host = await startAgent({ wire });
    const { json } = await host.ask("go", [{ text: "x".repeat(400), usage: null }]);
    expect(json["usage"]).toMatchObject({ estimated: true, outputTokens: 100, costUsd: null });
    expect(json["inputTokens"]).toBeGreaterThan(100);
    const told = await host.ask("go", [{ text: "x", usage: { input: 7, output: 3 } }]);
    expect(told.json["usage"]).toMatchObject({ estimated: false, inputTokens: 7, outputTokens: 3 });
  });

  test("a provider that nobody configured is a bad request that lists those there are, and leaves nothing behind", async () => {
    const { place, ...host } = await startAgent({ wire });
    const order = { message: "go", model: "elsewhere:m" };
    for (const path of ["/v1/chat", "/v1/chat/stream", "/v1/prompt"]) {
      const { status, json } = await host.rest("POST", path, order);
      expect([path, status, json.error]).toEqual([path, 400, "bad_request"]);
      expect(json.message).toContain("Configured: anthropic, local");
    }
    expect(place.stub.requests()).toEqual([]);
    expect((await host.rest("GET", "/v1/conversations")).json.conversations).toEqual([]);
    const other = await host.ask({ message: "go", model: MODELS[wire === "openai" ? "anthropic" : "openai"] }, [WELL]);
    expect(other.json).toMatchObject({ response: "Well." });
    expect(place.stub.requests()[0]?.wire).not.toBe(wire);
  });
});

test("without a key chat says what to set, in one sentence everywhere, and all else works", async () => {
  vi.stubEnv("ANTHROPIC_API_KEY", undefined);
  const place = await makeAgentPlace({ settings: { providers: {}, maxIterations: 2 } });
  const host = await place.open();
  vi.unstubAllEnvs();
  const sentences = new Set<string>();
  for (const path of ["/v1/chat", "/v1/chat/stream"]) {
    const { status, json } = await host.rest("POST", path, { message: "go" });
    expect([status, json.error]).toEqual([503, "model_unconfigured"]);
    sentences.add(json.message);
  }
  expect([...sentences]).toEqual([expect.stringMatching(/ANTHROPIC_API_KEY.*apiKey.*bailiwick\.json/)]);
  expect((await host.rest("GET", "/v1/conversations")).json.conversations).toEqual([]);
  expect((await host.rest("GET", "/v1/health")).json).toMatchObject({ status: "ok", model: "unconfigured" });
  const called = await host.rest("POST", "/v1/tools/call", { name: "desk__echo", arguments: {} });
  expect(called.status).toBe(200);
  for (const path of ["/v1/skills", "/v1/approvals", "/v1/evidence", "/v1/tools", "/v1/apps"]) {
    expect([path, (await host.rest("GET", path)).status]).toEqual([path, 200]);
  }
  expect((await host.rest("POST", "/v1/prompt", { message: "go" })).status).toBe(200);
  const delegated = await host.rest("POST", "/v1/tools/call", { name: "nb__delegate", arguments: { task: "go" } });
  expect([delegated.status, JSON.stringify(delegated.json)]).toEqual([
    expect.any(Number),
    expect.stringContaining("ANTHROPIC_API_KEY"),
  ]);
});
