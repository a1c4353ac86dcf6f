/** How runs end and what they leave, where something fails beside them. */
import { appendFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { StubTurn } from "../agent/model/stub-turn-for-tests.ts";
import { makeAgentPlace, startAgent, type AgentHost, type AgentPlace, type Json } from "./agent-host-for-tests.ts";
import { holdEvidence } from "./whole-host-for-tests.ts";

const DONE: StubTurn = { text: "Done." };

const logOf = ({ workDir }: AgentPlace, id: string): string =>
  join(workDir, "workspaces", "ws_default", "conversations", `${id}.jsonl`);
const historyOf = async (host: AgentHost, id: string): Promise<readonly Json[]> =>
  (await host.rest("GET", `/v1/conversations/${id}/history`)).json.messages as Json[];
const payloads = (place: AgentPlace, type: string): readonly Json[] =>
  place.evidence(type).map(({ payload }) => payload as Json);

test("a call that ended after its key was revoked is kept as it ended", async () => {
  const { place, ...host } = await startAgent({
    tools: [{ name: "show", _meta: { ui: { resourceUri: "ui://desk/show" } } }],
  });
  const { secret } = await host.keys.create({ name: "guest", as: "person:ann" });
  const hold = place.hold("slow");
  place.stub.script([
    { text: "I look.", calls: [{ name: "desk__show", input: { hold: hold.path, size: 60_000 } }] },
    DONE,
  ]);
  const asked = host.rest("POST", "/v1/chat", { message: "go" }, { authorization: `Bearer ${secret}` });
  await expect.poll(() => place.effects()).toEqual(["show"]);
  await host.keys.revoke("guest");
  hold.letGo();
  const { status, json } = await asked;
  expect(status).toBe(401);
  expect(json).toMatchObject({ error: "unauthenticated" });
  const { conversations } = (await host.rest("GET", "/v1/conversations")).json as { conversations: Json[] };
  const messages = await historyOf(host, String(conversations[0]?.["id"]));
  expect(messages[1]).toMatchObject({ content: "I look.", toolCalls: [{ ok: true, outcome: "success" }] });
});

test("a run whose end cannot be recorded does not end well", async () => {
  const { place, ...host } = await startAgent();
  let release = (): void => {};
  const events = await host.hear("go", () => {
    release = holdEvidence(place);
    return DONE;
  });
  release();
  expect(events.at(-1)).toMatchObject({ event: "error", data: { error: "evidence_unavailable" } });
  expect(events.at(-1)?.data.message).toContain("the end of the run");
});

test("a message that cannot be written leaves a run that began and ended in evidence", async () => {
  const { place, ...host } = await startAgent();
  const { conversationId } = (await host.ask("one", [DONE])).json;
  appendFileSync(logOf(place, conversationId), "x");
  const refused = await host.ask({ message: "two", conversationId }, [DONE]);
  expect(refused.status).toBeGreaterThanOrEqual(400);
  const [, started] = payloads(place, "run_started");
  const [, ended] = payloads(place, "run_ended");
  expect(ended).toEqual({ run_id: started?.["run_id"], error: refused.json["error"] });
});

test("what was wrong with a log is told in the first run after it was opened, and in no later one", async () => {
  const place = await makeAgentPlace();
  const first = await place.open();
  const { conversationId } = (await first.ask("one", [DONE])).json;
  await first.stop();
  appendFileSync(logOf(place, conversationId), '{"role":"assis');
  const host = await place.open();
  for (const message of ["two", "three"]) await host.ask({ message, conversationId }, [DONE]);
  const notices = place.stub.requests().map(({ body }) => /cut off|could not be read|torn/.test(JSON.stringify(body)));
  expect(notices).toEqual([false, true, false]);
});

test("a call that waits for a person says so by its code, in the result and in the conversation", async () => {
  const { place, ...host } = await startAgent();
  const create = { action: "create", name: "weekly", description: "A report", body: "Write it." };
  const { json } = await host.ask("go", [{ calls: [{ name: "nb__manage_skill", input: create }] }, DONE]);
  expect(json["toolCalls"]).toMatchObject([{ ok: false, outcome: "denied", code: "approval_pending" }]);
  const [, line] = await historyOf(host, json["conversationId"]);
  expect(line?.["toolCalls"]).toEqual(json["toolCalls"]);
  // Closed and read from the log again.
  await host.stop();
  const again = await place.open();
  expect((await historyOf(again, json["conversationId"]))[1]).toEqual(line);
});

test("the totals of a conversation count what its sub-agents used", async () => {
  const host = await startAgent();
  const { json } = await host.ask("go", (request) => {
    if (request.last.startsWith("the task")) return { text: "Child.", usage: null };
    if (request.results.length > 0) return { ...DONE, usage: { input: 100, output: 1 } };
    return { calls: [{ name: "nb__delegate", input: { task: "the task" } }], usage: { input: 100, output: 1 } };
  });
  expect(json["inputTokens"]).toBeGreaterThan(200);
  expect(json["usage"]).toMatchObject({ inputTokens: json["inputTokens"], estimated: true });
  const { conversations } = (await host.rest("GET", "/v1/conversations")).json as { conversations: Json[] };
  expect(conversations).toMatchObject([
    {
      totalInputTokens: json["inputTokens"],
      totalOutputTokens: json["outputTokens"],
      totalCostUsd: json["usage"].costUsd,
    },
  ]);
});

test("a program that gives a number that is none is told so, and nothing is begun", async () => {
  const { place, ...host } = await startAgent();
  const given: readonly (readonly [string, number])[] = [
    ...[Number.NaN, Number.POSITIVE_INFINITY, -1, 0, 1.5].map((value) => ["maxIterations", value] as const),
    ...[Number.NaN, Number.POSITIVE_INFINITY, -1].map((value) => ["approvalWaitMs", value] as const),
  ];
  for (const [name, value] of given) {
    await expect(host.chat("go", { [name]: value }).result).rejects.toMatchObject({
      kind: "bad_request",
      message: expect.stringContaining(`${name} is ${value}`),
    });
  }
  expect(place.stub.requests()).toEqual([]);
  expect(place.evidence("run_started")).toEqual([]);
});
