/** What was refused, dropped, cancelled or may have happened is never told as done, and always with what to do next. */
import { describe, expect, it } from "vitest";
import type { StubTurn } from "../agent/model/stub-turn-for-tests.ts";
import type { ReadEvent } from "../transport/chat-reader-for-tests.ts";
import { startAgent, WIRES, type Json } from "./agent-host-for-tests.ts";

const OK: StubTurn = { text: "ok" };
const NONE: ReadEvent = { id: null, event: null, data: {} };
const lastOf = (events: readonly ReadEvent[]): Json => (events.at(-1) ?? NONE).data;
const NEXT = /Next step: \S|Send another message|Check its effect|Call it again|Look at the results/;

const historyOf = async (
  host: { rest: (method: string, path: string) => Promise<{ json: Json }> },
  id: string,
): Promise<Json[]> => (await host.rest("GET", `/v1/conversations/${id}/history`)).json["messages"];

describe.each(WIRES)("a call of a model on the wire %s", (wire) => {
  it("whose server ends in the middle has an unknown outcome everywhere, and is not tried again", async () => {
    const { place, ...host } = await startAgent({ wire });
    const events = await host.hear("go", [{ calls: [{ name: "desk__echo", input: { crash: true } }] }, OK]);
    const done = events.find(({ event }) => event === "tool.done")?.data;
    expect(done).toMatchObject({ ok: false, outcome: "indeterminate", code: "indeterminate" });
    const { toolCalls, conversationId } = lastOf(events);
    expect(toolCalls).toMatchObject([{ ok: false, outcome: "indeterminate", output: expect.stringMatching(NEXT) }]);
    expect(place.stub.requests().at(-1)?.results[0]?.text).toMatch(NEXT);
    const [, kept] = await historyOf(host, conversationId);
    const { output } = toolCalls[0];
    expect(kept?.["toolCalls"]).toMatchObject([{ ok: false, outcome: "indeterminate", output }]);
    expect(place.effects()).toEqual(["echo"]);
    const last = place.events().find(({ event_id }) => event_id === toolCalls[0].evidenceId);
    expect(last?.outcome).not.toBe("success");
  });

  it("that is cancelled is not told as done, nor are those behind it that never began", async () => {
    const { place, ...host } = await startAgent({ wire });
    const { path } = place.hold("for-ever");
    const calls = [{ name: "desk__echo", input: { hold: path } }, { name: "desk__none" }];
    const reader = await host.stream("go", [{ text: "I will.", calls }, OK]);
    await expect.poll(() => place.effects().length, { timeout: 10_000 }).toBe(1);
    const { conversationId } = (reader.events[0] ?? NONE).data as Json;
    expect((await host.rest("POST", `/v1/conversations/${conversationId}/cancel`, {})).status).toBe(202);
    await reader.ended;
    expect(reader.events.at(-1)).toMatchObject({
      event: "error",
      data: { error: "cancelled", remedy: expect.any(String) },
    });
    const kept = (await historyOf(host, conversationId)).at(-1);
    expect(kept).toMatchObject({ role: "assistant", content: "I will.", interrupted: true });
    expect(kept?.["stopReason"]).toBeUndefined();
    expect(kept?.["toolCalls"]).toHaveLength(2);
    for (const { ok, outcome, output } of (kept?.["toolCalls"] ?? []) as Json[]) {
      expect([ok, outcome === "success"]).toEqual([false, false]);
      // A server that heard of it in time says itself how it ended.
      if (outcome !== "failure") expect(output).toMatch(NEXT);
    }
    const ended = reader.events.filter(({ event }) => event === "tool.done");
    expect(ended.filter(({ data }) => data.ok)).toEqual([]);
  });

  it("that a tool itself fails, a limit drops or the host refuses says so with a next step", async () => {
    const { place, ...host } = await startAgent({ wire });
    const calls = [
      { name: "desk__echo", input: { fail: true } },
      { name: "desk__none" },
      { name: "desk__echo", inputText: "[" },
    ];
    const order = { message: "go", maxIterations: 2 };
    const { json } = await host.ask(order, [{ calls }, { calls: [{ name: "desk__echo" }] }]);
    const made = json["toolCalls"] as Json[];
    expect(made.map(({ ok, outcome, dropped }) => [ok, outcome, dropped])).toEqual([
      [false, "failure", undefined],
      [false, "denied", undefined],
      [false, "denied", undefined],
      [false, null, "iteration_limit"],
    ]);
    for (const { output } of made.slice(1)) expect(output).toMatch(NEXT);
    expect(json["response"]).toMatch(/\S/);
    expect(place.effects()).toEqual(["echo"]);
    for (const message of await historyOf(host, json["conversationId"])) {
      for (const { ok } of (message["toolCalls"] ?? []) as Json[]) expect(ok).toBe(false);
    }
  });

  it("with ten megabytes of arguments that the tool takes ends in a way that can be told and kept", async () => {
    const { place, ...host } = await startAgent({ wire });
    const input = { note: "x".repeat(10_000_000), size: 5 };
    const { status, json } = await host.ask("go", [{ calls: [{ name: "desk__echo", input }] }, OK]);
    const id = (await host.rest("GET", "/v1/conversations")).json.conversations[0].id as string;
    const messages = await historyOf(host, id);
    expect([status, json["error"]]).toEqual([200, undefined]);
    expect(messages).toHaveLength(3);
    expect(place.effects().length).toBeLessThanOrEqual(1);
  });
});
