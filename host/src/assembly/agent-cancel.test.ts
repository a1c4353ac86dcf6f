/** Runs that somebody ends, or that nobody hears any more, and the one run that a conversation has at a time. */
import { describe, expect, test } from "vitest";
import { firstOf, passGrace, startAgent, WIRES, type AgentHost, type Json } from "./agent-host-for-tests.ts";

const historyOf = async (host: AgentHost, id: string): Promise<readonly Json[]> =>
  (await host.rest("GET", `/v1/conversations/${id}/history`)).json.messages as Json[];

describe.each(WIRES)("on the wire of %s", (wire) => {
  test("a person cancels while the model speaks: the model hears it, and the text so far is kept", async () => {
    const { place, ...host } = await startAgent({ wire });
    const never = new Promise(() => {});
    const reader = await host.stream("go", [{ text: ["Once upon", never] }, { text: "More." }]);
    await reader.until("text.delta");
    const { conversationId, runId } = firstOf(reader.events);
    const { status } = await host.rest("POST", `/v1/conversations/${conversationId}/cancel`);
    expect(status).toBe(202);
    await reader.ended;
    expect(reader.events.at(-1)).toMatchObject({ event: "error", data: { runId, error: "cancelled" } });
    expect(reader.events.at(-1)?.data.remedy).not.toBe("");
    await expect.poll(() => place.stub.requests()[0]?.left, { timeout: 10_000 }).toBe(true);
    expect((await historyOf(host, conversationId)).at(-1)).toMatchObject({ content: "Once upon", interrupted: true });
    const ended = place.evidence("run_ended").map(({ payload }) => payload);
    expect(ended).toEqual([{ run_id: runId, error: "cancelled", cancelled_by: "person:owner" }]);
    const after = await host.ask({ message: "again", conversationId }, [{ text: "More." }]);
    expect(after.json).toMatchObject({ response: "More." });
    expect(place.stub.requests().at(-1)?.last).toContain("was interrupted");
  });

  test("a person cancels while a tool runs: the tool hears it, and its outcome is not shown as success", async () => {
    const { place, ...host } = await startAgent({ wire });
    const { path } = place.hold("never");
    const reader = await host.stream("go", [
      { text: "I look.", calls: [{ id: "a", name: "desk__echo", input: { hold: path } }] },
      { text: "More." },
    ]);
    await reader.until("tool.start");
    await expect.poll(() => place.effects(), { timeout: 10_000 }).toEqual(["echo"]);
    const { conversationId } = firstOf(reader.events);
    await host.rest("POST", `/v1/conversations/${conversationId}/cancel`);
    await reader.ended;
    expect(reader.events.at(-1)).toMatchObject({ event: "error", data: { error: "cancelled" } });
    const last = (await historyOf(host, conversationId)).at(-1);
    expect(last).toMatchObject({ content: "I look.", interrupted: true, toolCalls: [{ id: "a", ok: false }] });
    expect(last?.["toolCalls"][0].outcome).not.toBe("success");
    expect(place.effects()).toEqual(["echo", "cancelled"]);
    expect(place.stub.requests()).toHaveLength(1);
  });

  test("plain chat that is cancelled answers with the code and the next step", async () => {
    const { place, ...host } = await startAgent({ wire });
    const { json } = await host.ask("first", [{ text: "Yes." }]);
    const { conversationId } = json;
    const answer = host.ask({ message: "go", conversationId }, [{ error: "hang" }]);
    await place.stub.arrived(2);
    await host.rest("POST", `/v1/conversations/${conversationId}/cancel`);
    const cancelled = await answer;
    expect(cancelled.json).toMatchObject({ error: "cancelled" });
    expect(cancelled.json["message"]).toContain("somebody asked for it");
    expect(cancelled.json["remedy"]).not.toBe("");
    expect(cancelled.status).toBeGreaterThanOrEqual(400);
  });

  test("one run at a time: a second message gets 409, and the next is taken when the first has ended", async () => {
    const { place, ...host } = await startAgent({ wire });
    const held = place.hold("a");
    const reader = await host.stream("go", [
      { calls: [{ name: "desk__echo", input: { hold: held.path } }] },
      { text: "Done." },
    ]);
    await reader.until("tool.start");
    const { conversationId, runId } = firstOf(reader.events);
    for (const path of ["/v1/chat", "/v1/chat/stream"]) {
      const { status, json } = await host.rest("POST", path, { message: "me too", conversationId });
      expect([status, json.error]).toEqual([409, "run_in_progress"]);
      expect(json.data).toMatchObject({ details: { conversationId, runId } });
      expect(json.remedy).toContain(`/v1/conversations/${conversationId}/cancel`);
    }
    // Other conversations are free.
    const requests = place.stub.requests().length;
    const other = host.ask("elsewhere");
    await place.stub.arrived(requests + 1);
    expect((await other).json).toMatchObject({ response: "Done." });
    place.stub.script([{ text: "Now." }]);
    held.letGo();
    await reader.ended;
    expect((await historyOf(host, conversationId)).filter(({ role }) => role === "user")).toHaveLength(1);
    const next = await host.ask({ message: "me too", conversationId }, [{ text: "Yes." }]);
    expect(next.json).toMatchObject({ response: "Yes." });
  });

  test("two messages that come at once to one conversation: one of them runs", async () => {
    const host = await startAgent({ wire });
    const { json } = await host.ask("first", [{ text: "Yes.", forever: true }]);
    const { conversationId } = json;
    const both = await Promise.all([1, 2, 3].map((n) => host.ask({ message: `the message ${n}`, conversationId })));
    const statuses = both.map(({ status }) => status);
    expect(statuses.every((status) => status === 200 || status === 409)).toBe(true);
    const ran = statuses.filter((status) => status === 200).length;
    expect(ran).toBeGreaterThanOrEqual(1);
    const messages = await historyOf(host, conversationId);
    // Each question has its answer behind it.
    expect(messages.map(({ role }) => role)).toEqual(
      Array.from({ length: ran + 1 }, () => ["user", "assistant"]).flat(),
    );
  });

  test("a client that goes away does not end the run; one that nobody hears for a minute is cancelled", async () => {
    const { place, ...host } = await startAgent({ wire });
    const held = place.hold("a");
    const gone = await host.stream("go", [
      { calls: [{ name: "desk__echo", input: { hold: held.path } }] },
      { text: "Done." },
    ]);
    await gone.until("tool.start");
    gone.leave();
    const first = firstOf(gone.events);
    held.letGo();
    await expect.poll(() => place.evidence("run_ended").length, { timeout: 10_000 }).toBe(1);
    expect((await historyOf(host, first["conversationId"])).at(-1)).toMatchObject({ content: "Done." });

    const never = place.hold("never");
    const unheard = await host.stream("go", [{ calls: [{ name: "desk__echo", input: { hold: never.path } }] }]);
    await unheard.until("tool.start");
    passGrace();
    unheard.leave();
    await expect.poll(() => place.evidence("run_ended").length, { timeout: 10_000 }).toBe(2);
    const { conversationId, runId } = firstOf(unheard.events);
    const again = await host.listenTo(runId);
    await again.ended;
    expect(again.events.at(-1)).toMatchObject({ event: "error", data: { error: "cancelled" } });
    expect(again.events.at(-1)?.data.message).toContain("nobody followed it for 60 seconds");
    expect((await historyOf(host, conversationId)).at(-1)).toMatchObject({ interrupted: true });
  });

  test("cancelling a conversation without a run changes nothing", async () => {
    const host = await startAgent({ wire });
    const { json } = await host.ask("go", [{ text: "Yes." }]);
    const { status } = await host.rest("POST", `/v1/conversations/${json["conversationId"]}/cancel`);
    expect(status).toBe(202);
    expect(await historyOf(host, json["conversationId"])).toHaveLength(2);
    expect((await host.rest("POST", "/v1/conversations/conv_0000000000000000/cancel")).status).toBe(404);
  });
});
