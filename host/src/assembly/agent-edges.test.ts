/** Models and people that do not behave: what a run makes of it, seen from outside. */
import { describe, expect, test } from "vitest";
import type { StubTurn } from "../agent/model/stub-turn-for-tests.ts";
import {
  firstOf,
  isDelegate,
  makeAgentPlace,
  passGrace,
  startAgent,
  WIRES,
  type Json,
} from "./agent-host-for-tests.ts";

const DONE: StubTurn = { text: "Done." };

describe.each(WIRES)("on the wire of %s", (wire) => {
  test("reasoning is no part of the answer, and an empty answer is a complete one", async () => {
    const host = await startAgent({ wire });
    const thought = await host.ask("go", [{ reasoning: "I think hard.", text: "Yes." }]);
    expect(thought.json).toMatchObject({ response: "Yes.", stopReason: "complete" });
    const empty = await host.hear("go", [{}]);
    expect(empty.map(({ event }) => event)).toEqual(["chat.start", "llm.done", "done"]);
    expect(empty.at(-1)?.data).toMatchObject({ response: "", stopReason: "complete", finishReason: "stop" });
    const filtered = await host.ask("go", [{ text: "I", finish: "content-filter" }]);
    expect(filtered.json).toMatchObject({ response: "I", stopReason: "complete", finishReason: "content-filter" });
    const odd = await host.ask("go", [{ text: "Hm.", finish: "a_new_word" }]);
    expect(odd.json).toMatchObject({ stopReason: "complete", finishReason: "other" });
  });

  test("a model that gives every call the same id is understood all the same", async () => {
    const { place, ...host } = await startAgent({ wire });
    const call = (n: number) => ({ id: "call_0", name: "desk__echo", input: { n } });
    const { json } = await host.ask("go", [{ calls: [call(1), call(2)] }, { calls: [call(3)] }, DONE]);
    const ids = json["toolCalls"].map(({ id }: Json) => id as string);
    expect(new Set(ids).size).toBe(3);
    expect(json["toolCalls"].map(({ output }: Json) => output as string)).toEqual(
      [1, 2, 3].map((n) => `echo {"n":${n}}`),
    );
    const again = await host.ask({ message: "again", conversationId: json["conversationId"] }, [
      { calls: [call(4)] },
      DONE,
    ]);
    expect(again.status).toBe(200);
    const messages = place.stub.requests().at(-1)?.body["messages"] as readonly Json[];
    const used = JSON.stringify(messages).match(/"(?:tool_use_id|tool_call_id)":"[^"]+"/g) ?? [];
    expect(used).toHaveLength(4);
    expect(new Set(used).size).toBe(4);
  });

  test("an answer that breaks off behind a call runs nothing", async () => {
    const { place, ...host } = await startAgent({ wire });
    const events = await host.hear("go", [{ text: "I look.", calls: [{ name: "desk__echo" }], fault: "cut" }, DONE]);
    expect(events.at(-1)).toMatchObject({ event: "error", data: { error: "model_failed" } });
    expect(place.effects()).toEqual([]);
    const { conversationId } = firstOf(events);
    const { messages } = (await host.rest("GET", `/v1/conversations/${conversationId}/history`)).json;
    expect(messages.at(-1)).toMatchObject({ content: "I look.", interrupted: true });
    const next = await host.ask({ message: "go on", conversationId }, [DONE]);
    expect(next.json).toMatchObject({ response: "Done." });
  });

  test.each([
    ["an error in the stream", { fault: { type: "overloaded_error", message: "busy" } }],
    ["a chunk that is no JSON", { fault: "malformed" }],
    ["an end without a reason", { fault: "end" }],
  ] as const)("%s before the first word is tried again, behind it the run fails", async (_, broken) => {
    const { place, ...host } = await startAgent({ wire });
    const before = await host.ask("go", [broken, DONE]);
    expect(before.json).toMatchObject({ response: "Done." });
    expect(place.stub.requests()).toHaveLength(2);
    const behind = await host.ask("go", [{ text: "Half", ...broken }, DONE]);
    expect([behind.status, behind.json["error"]]).toEqual([502, "model_failed"]);
    expect(place.stub.requests()).toHaveLength(3);
  });

  test("a person who cancels ends delegates too, down to their model calls", async () => {
    const { place, ...host } = await startAgent({ wire });
    const never = new Promise(() => {});
    const reader = await host.stream("go", (request) =>
      isDelegate(request)
        ? { text: ["thinking", never] }
        : { calls: [{ name: "nb__delegate", input: { task: "the task" } }] },
    );
    await place.stub.arrived(2);
    const { conversationId } = firstOf(reader.events);
    await host.rest("POST", `/v1/conversations/${conversationId}/cancel`);
    await reader.ended;
    expect(reader.events.at(-1)).toMatchObject({ event: "error", data: { error: "cancelled" } });
    await expect.poll(() => place.stub.requests()[1]?.left, { timeout: 10_000 }).toBe(true);
    expect(place.evidence("run_ended").map(({ payload }) => payload["error"])).toEqual(["cancelled", "cancelled"]);
  });

  test("a delegate's call that needs a person asks at the run that is followed", async () => {
    const { place, ...host } = await startAgent({ wire });
    const create = { action: "create", name: "weekly", description: "d", body: "b" };
    const reader = await host.stream("go", (request) => {
      if (request.results.length > 0) return DONE;
      if (isDelegate(request)) return { calls: [{ id: "c", name: "nb__manage_skill", input: create }] };
      const input = { task: "the task", tools: ["nb__manage_skill"] };
      return { calls: [{ id: "p", name: "nb__delegate", input }] };
    });
    await reader.until("approval.needed");
    const needed = firstOf(reader.events, "approval.needed");
    const { runId } = firstOf(reader.events);
    expect(needed).toMatchObject({ id: "c", name: "nb__manage_skill", parentRunId: runId });
    await host.rest("POST", `/v1/approvals/${needed["approvalId"]}`, { decision: "approve" });
    await reader.ended;
    expect(reader.events.at(-1)?.data).toMatchObject({ response: "Done.", toolCalls: [{ id: "p", ok: true }] });
    expect((await host.rest("GET", "/v1/skills/weekly")).status).toBe(200);
    expect(place.stub.requests()).toHaveLength(4);
  });

  test("plain chat whose client goes away is cancelled after the minute, too", async () => {
    const { place, ...host } = await startAgent({ wire });
    place.stub.script([{ error: "hang" }]);
    const leaving = new AbortController();
    const asked = fetch(`${host.origin}/v1/chat`, {
      method: "POST",
      headers: { authorization: `Bearer ${host.key}`, "content-type": "application/json" },
      body: JSON.stringify({ message: "go" }),
      signal: leaving.signal,
    }).catch(() => null);
    await place.stub.arrived(1);
    passGrace();
    leaving.abort();
    await asked;
    await expect
      .poll(() => place.evidence("run_ended").map(({ payload }) => payload["error"]), { timeout: 10_000 })
      .toEqual(["cancelled"]);
    await expect.poll(() => place.stub.requests()[0]?.left, { timeout: 10_000 }).toBe(true);
  });

  test("inside a skill discovery shows the others with the reason, and none of them joins", async () => {
    const place = await makeAgentPlace({ wire, tools: ["one", "two"] });
    place.skill("narrow", "allowed-tools: [desk__one]\nmetadata: {triggers: [narrowly]}");
    const host = await place.open();
    const { json } = await host.ask("narrowly", [
      { calls: [{ name: "nb__discover_tools", input: { query: "the tool two" } }] },
      { calls: [{ name: "desk__two" }] },
      DONE,
    ]);
    const { tools, activated } = JSON.parse(json["toolCalls"][0].output) as Json;
    expect(tools.find(({ name }: Json) => name === "desk__two")).toMatchObject({
      callable: false,
      reason: expect.stringContaining("the skill narrow"),
    });
    expect(activated).not.toContain("desk__two");
    expect(place.stub.requests().every((request) => !request.tools.includes("desk__two"))).toBe(true);
    expect(place.effects()).toEqual([]);
  });

  test("an empty allow-list of the request leaves only the host's nb__ tools", async () => {
    const { place, ...host } = await startAgent({ wire });
    await host.ask({ message: "go", allowedTools: [] }, [{ calls: [{ name: "desk__echo" }] }, DONE]);
    expect(place.stub.requests()[0]?.tools.every((name) => name.startsWith("nb__"))).toBe(true);
    expect(place.effects()).toEqual([]);
    await host.ask({ message: "go", allowedTools: ["", "desk__"] }, [DONE]);
    expect(place.stub.requests().at(-1)?.tools).toEqual(place.stub.requests()[0]?.tools);
  });

  test("as many tools are announced as the model is shown", async () => {
    const host = await startAgent({ wire });
    const { place } = host;
    const events = await host.hear({ message: "go", allowedTools: ["desk__*"] }, [DONE]);
    expect(events[0]?.data.directTools).toBe(place.stub.requests()[0]?.tools.length);
    expect(events[0]?.data.directTools).toBe(7);
  });
});

test("a host that stops ends its runs, and the next start knows what they had written", async () => {
  const { place, ...host } = await startAgent();
  const reader = await host.stream("go", [{ text: ["Once upon", new Promise(() => {})] }]);
  await reader.until("text.delta");
  await host.stop();
  await reader.ended;
  expect(reader.events.at(-1)).toMatchObject({ event: "error" });
  const again = await place.open();
  const { conversationId } = firstOf(reader.events);
  const { messages } = (await again.rest("GET", `/v1/conversations/${conversationId}/history`)).json;
  expect(messages.at(-1)).toMatchObject({ role: "assistant", content: "Once upon", interrupted: true });
});
