/** Calls of the agent that a person has to approve: in a run that waits, in one that does not, and in a later message. */
import { describe, expect, it, vi } from "vitest";
import type { ChatReader } from "../transport/chat-reader-for-tests.ts";
import { makeAgentPlace, type AgentHost, type AgentPlace, type Json } from "./agent-host-for-tests.ts";

const RULES = [{ id: "ask", match: { tools: ["desk__wipe"], principals: ["agent:*"] }, effect: "require_approval" }];
const HELPER = { description: "Helps.", systemPrompt: "You help.", tools: ["desk__*"] };

const makePlace = (settings: Json = {}): Promise<AgentPlace> =>
  makeAgentPlace({
    tools: ["echo", "wipe"],
    settings: { policy: { rules: RULES }, agents: { helper: HELPER }, ...settings },
  });

const wipe = (n = 1) => ({ name: "desk__wipe", input: { n } });
const DONE = { text: "Done." };

const pendingOf = async (host: AgentHost): Promise<readonly Json[]> =>
  (await host.rest("GET", "/v1/approvals?state=pending")).json.approvals;
const decide = (host: AgentHost, id: string, decision = "approve"): ReturnType<AgentHost["rest"]> =>
  host.rest("POST", `/v1/approvals/${id}`, { decision });
const stateOf = async (host: AgentHost, id: string): Promise<string> =>
  (await host.rest("GET", `/v1/approvals/${id}`)).json.state;
const historyOf = async (host: AgentHost, id: string): Promise<readonly Json[]> =>
  (await host.rest("GET", `/v1/conversations/${id}/history`)).json.messages;

const eventOf = ({ events }: ChatReader, name: string): Json => events.find(({ event }) => event === name)?.data;
const doneOf = ({ events }: ChatReader, tool: string): Json | undefined =>
  events.find(({ event, data }) => event === "tool.done" && data.name === tool)?.data;

const lastResults = ({ stub }: AgentPlace): readonly string[] =>
  (stub.requests().at(-1)?.results ?? []).map(({ text }) => text);

describe("a run that is followed", () => {
  it("waits for the person while its other calls go on, and goes on when they say yes", async () => {
    const place = await makePlace();
    const host = await place.open();
    const reader = await host.stream("go", [
      {
        calls: [
          { ...wipe(), id: "tc_wipe" },
          { name: "desk__echo", input: { n: 2 }, id: "tc_echo" },
        ],
      },
      DONE,
    ]);
    await reader.until("approval.needed");
    await vi.waitFor(() => expect(doneOf(reader, "desk__echo")).toMatchObject({ ok: true }));
    expect(doneOf(reader, "desk__wipe")).toBeUndefined();
    expect([place.effects(), place.stub.requests().length]).toEqual([["echo"], 1]);
    const { runId } = eventOf(reader, "chat.start");
    const [record] = await pendingOf(host);
    expect(eventOf(reader, "approval.needed")).toEqual({
      runId,
      id: "tc_wipe",
      name: "desk__wipe",
      approvalId: record?.["id"],
      digest: record?.["digest"],
      summary: 'desk__wipe {"n":1}',
      expiresAt: record?.["expires_at"],
    });
    expect(record).toMatchObject({
      requested_by: "agent:bailiwick",
      on_behalf_of: "person:owner",
      door: "agent",
      arguments: { n: 1 },
      correlation_id: runId,
    });
    expect((await decide(host, record?.["id"])).status).toBe(200);
    await reader.ended;
    expect(reader.events.at(-1)).toMatchObject({ event: "done", data: { response: "Done.", stopReason: "complete" } });
    expect(reader.events.filter(({ event }) => event === "approval.needed")).toHaveLength(1);
    expect(place.effects()).toEqual(["echo", "wipe"]);
    expect(doneOf(reader, "desk__wipe")).toMatchObject({ id: "tc_wipe", ok: true, outcome: "success" });
    const results = place.stub.requests()[1]?.results ?? [];
    expect(results.map(({ id }) => id)).toEqual(["tc_wipe", "tc_echo"]);
    expect(await stateOf(host, record?.["id"])).toBe("consumed");
  });

  it("goes on without the call when they say no, and the model hears why", async () => {
    const place = await makePlace();
    const host = await place.open();
    const reader = await host.stream("go", [{ calls: [wipe()] }, DONE]);
    await reader.until("approval.needed");
    const { approvalId } = eventOf(reader, "approval.needed");
    await host.rest("POST", `/v1/approvals/${approvalId}`, { decision: "deny", reason: "Not on a Monday." });
    await reader.ended;
    expect(doneOf(reader, "desk__wipe")).toMatchObject({ ok: false, code: "approval_denied", outcome: "denied" });
    expect(lastResults(place)).toEqual([expect.stringContaining("Not on a Monday.")]);
    expect(eventOf(reader, "done")).toMatchObject({ toolCalls: [{ ok: false, outcome: "denied" }] });
    expect(place.effects()).toEqual([]);
  });

  it("waits as long as is configured and ends with the approval's id, which still can be given", async () => {
    const place = await makePlace({ approvals: { runWaitSeconds: 1 } });
    const host = await place.open();
    const reader = await host.stream("go", [{ calls: [wipe()] }, DONE]);
    await reader.ended;
    const { approvalId } = eventOf(reader, "approval.needed");
    expect(doneOf(reader, "desk__wipe")).toMatchObject({ ok: false, code: "approval_pending", outcome: "denied" });
    expect(lastResults(place)).toEqual([expect.stringContaining(approvalId)]);
    expect(eventOf(reader, "done")).toMatchObject({ response: "Done.", stopReason: "complete" });
    expect(eventOf(reader, "done")["toolCalls"]).toMatchObject([
      { ok: false, output: expect.stringContaining(approvalId) },
    ]);
    expect([await stateOf(host, approvalId), place.effects()]).toEqual(["pending", []]);
  });

  it("can be cancelled while it waits; the approval stays with the person, and nothing was done", async () => {
    const place = await makePlace();
    const host = await place.open();
    const reader = await host.stream("go", [{ calls: [wipe()] }, DONE]);
    await reader.until("approval.needed");
    const { conversationId } = eventOf(reader, "chat.start");
    expect((await host.rest("POST", `/v1/conversations/${conversationId}/cancel`)).status).toBe(202);
    await reader.ended;
    expect(reader.events.at(-1)).toMatchObject({ event: "error", data: { error: "cancelled" } });
    expect(await stateOf(host, eventOf(reader, "approval.needed")["approvalId"])).toBe("pending");
    const history = await historyOf(host, conversationId);
    expect(history.at(-1)).toMatchObject({ interrupted: true, toolCalls: [{ name: "desk__wipe", ok: false }] });
    expect(place.effects()).toEqual([]);
  });

  it("shares the approval with another run that makes the very same call, and only one of them uses it", async () => {
    const place = await makePlace();
    const host = await place.open();
    const script = ({ results }: { results: readonly unknown[] }) => (results.length > 0 ? DONE : { calls: [wipe()] });
    const readers = [await host.stream("one", script), await host.stream("two")];
    await Promise.all(readers.map((reader) => reader.until("approval.needed")));
    const ids = readers.map((reader) => eventOf(reader, "approval.needed")["approvalId"]);
    expect(ids[0]).toBe(ids[1]);
    await decide(host, ids[0]);
    await vi.waitFor(
      async () => expect([(await pendingOf(host)).length, place.effects()]).toEqual([1, ["wipe"]]),
      5_000,
    );
    const [second] = await pendingOf(host);
    const told = readers.flatMap(({ events }) => events.filter(({ event }) => event === "approval.needed"));
    expect(told).toHaveLength(3);
    expect(new Set(told.map(({ data }) => data.approvalId))).toEqual(new Set([ids[0], second?.["id"]]));
    await decide(host, second?.["id"]);
    await Promise.all(readers.map(({ ended }) => ended));
    for (const reader of readers) expect(eventOf(reader, "done")).toMatchObject({ toolCalls: [{ ok: true }] });
    expect(place.effects()).toEqual(["wipe", "wipe"]);
  });
});

describe("a message whose answer is only the result", () => {
  it("does not wait: the answer names the approval, and the same call in a later message runs once", async () => {
    const place = await makePlace();
    const host = await place.open();
    const first = await host.ask("go", [{ calls: [wipe()] }, DONE]);
    const [record] = await pendingOf(host);
    expect(first).toMatchObject({ status: 200, json: { response: "Done.", stopReason: "complete" } });
    expect(first.json["toolCalls"]).toMatchObject([{ ok: false, output: expect.stringContaining(record?.["id"]) }]);
    await decide(host, record?.["id"]);
    const { conversationId } = first.json;
    const again = { message: "again", conversationId };
    const second = await host.ask(again, [{ calls: [wipe()] }, DONE]);
    expect(second.json["toolCalls"]).toMatchObject([{ ok: true, outcome: "success" }]);
    expect([await stateOf(host, record?.["id"]), place.effects()]).toEqual(["consumed", ["wipe"]]);
    const third = await host.ask(again, [{ calls: [wipe()] }, DONE]);
    expect(third.json["toolCalls"]).toMatchObject([{ ok: false, outcome: "denied" }]);
    const [anew, ...others] = await pendingOf(host);
    expect([anew?.["digest"], others, place.effects()]).toEqual([record?.["digest"], [], ["wipe"]]);
    expect(anew?.["id"]).not.toBe(record?.["id"]);
  });

  it("is not served by a yes to other arguments, nor by one to another agent", async () => {
    const place = await makePlace();
    const host = await place.open();
    await host.ask("go", [{ calls: [wipe(1)] }, DONE]);
    const [record] = await pendingOf(host);
    await decide(host, record?.["id"]);
    await host.ask("go", [{ calls: [wipe(2)] }, DONE]);
    const delegate = { name: "nb__delegate", input: { task: "Wipe it.", agent: "helper" } };
    await host.ask("go", [{ calls: [delegate] }, { calls: [wipe(1)] }, { text: "It waits." }, DONE]);
    const asked = (await pendingOf(host)).map(({ requested_by, arguments: args }) => [requested_by, args]);
    expect(asked).toEqual([
      ["agent:helper", { n: 1 }],
      ["agent:bailiwick", { n: 2 }],
    ]);
    expect([await stateOf(host, record?.["id"]), place.effects()]).toEqual(["granted", []]);
    await host.ask("go", [{ calls: [wipe(1)] }, DONE]);
    expect([await stateOf(host, record?.["id"]), place.effects()]).toEqual(["consumed", ["wipe"]]);
  });
});

describe("a delegate's call", () => {
  it("is asked for on the stream of the run that it works for, and runs after the yes", async () => {
    const place = await makePlace();
    const host = await place.open();
    const delegate = { name: "nb__delegate", input: { task: "Wipe it.", agent: "helper" } };
    const reader = await host.stream("go", [{ calls: [delegate] }, { calls: [wipe()] }, { text: "Wiped." }, DONE]);
    await reader.until("approval.needed");
    const needed = eventOf(reader, "approval.needed");
    const { runId } = eventOf(reader, "chat.start");
    expect(needed).toMatchObject({ parentRunId: runId, name: "desk__wipe" });
    expect(needed["runId"]).not.toBe(runId);
    await decide(host, needed["approvalId"]);
    await reader.ended;
    expect(doneOf(reader, "desk__wipe")).toMatchObject({ ok: true, parentRunId: runId });
    expect(eventOf(reader, "done")).toMatchObject({ runId, response: "Done.", toolCalls: [{ name: "nb__delegate" }] });
    expect(place.effects()).toEqual(["wipe"]);
  });
});

describe("a host that is stopped while a run waits", () => {
  it("shows the call in the conversation afterwards, and the next message goes on with it", async () => {
    const place = await makePlace();
    const first = await place.open();
    const reader = await first.stream("go", [{ text: "I ask.", calls: [wipe()] }, DONE]);
    await reader.until("approval.needed");
    const { conversationId } = eventOf(reader, "chat.start");
    const { approvalId } = eventOf(reader, "approval.needed");
    reader.leave();
    await first.stop();

    const host = await place.open();
    expect((await historyOf(host, conversationId)).at(-1)).toMatchObject({
      content: "I ask.",
      interrupted: true,
      toolCalls: [{ name: "desk__wipe", input: { n: 1 }, ok: false }],
    });
    expect((await decide(host, approvalId)).status).toBe(200);
    const next = await host.ask({ message: "go on", conversationId }, [{ calls: [wipe()] }, DONE]);
    expect(place.stub.requests().at(-2)?.last).toContain(
      "The last run in this conversation was interrupted: desk__wipe",
    );
    expect(next.json["toolCalls"]).toMatchObject([{ ok: true }]);
    expect([await stateOf(host, approvalId), place.effects()]).toEqual(["consumed", ["wipe"]]);
  });
});
