/** Whose conversations are whose: keys of several people, of programs that act for them, and such as may name only some tools. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { firstOf, startAgent, type AgentHost, type AgentPlace, type Json } from "./agent-host-for-tests.ts";

type Ask = (method: string, path: string, body?: object) => Promise<{ readonly status: number; readonly json: Json }>;

const YES = [{ text: "Yes." }];

const keyFor = async (host: AgentHost, order: Json): Promise<Ask> => {
  const { secret } = await host.keys.create({ name: order["name"], ...order });
  return (method, path, body) => host.rest(method, path, body, { authorization: `Bearer ${secret}` });
};

const say = async (place: AgentPlace, ask: Ask, body: Json = {}): Promise<string> => {
  place.stub.script(YES);
  const { status, json } = await ask("POST", "/v1/chat", { message: "What is new?", ...body });
  expect([status, json["error"]]).toEqual([200, undefined]);
  return json["conversationId"] as string;
};

/** As the owner; the status. */
const remove = async (host: AgentHost, id: string): Promise<number> => {
  const headers = { authorization: `Bearer ${host.key}` };
  return (await fetch(`${host.origin}/v1/conversations/${id}`, { method: "DELETE", headers })).status;
};

const listed = async (ask: Ask): Promise<readonly string[]> => {
  const { json } = await ask("GET", "/v1/conversations?limit=100");
  expect(json["totalCount"]).toBe(json["conversations"].length);
  return json["conversations"].map(({ id }: Json) => id as string);
};

const eventsOf = (place: AgentPlace, type: string): readonly Json[] => place.evidence(type);

const open = async () => {
  const { place, ...host } = await startAgent();
  const ann = await keyFor(host, { name: "ann", as: "person:ann" });
  const bob = await keyFor(host, { name: "bob", as: "person:bob" });
  const helper = await keyFor(host, { name: "helper", as: "agent:helper", for: "person:ann" });
  const narrow = await keyFor(host, { name: "narrow", as: "person:ann", scopes: ["desk__*"] });
  const reader = await keyFor(host, { name: "reader", as: "person:eve", permissions: ["evidence:read"] });
  const owner: Ask = (method, path, body) => host.rest(method, path, body);
  return { place, host, ann, bob, helper, narrow, reader, owner };
};

test("everybody sees their own, a person those of their programs too, and evidence:read all", async () => {
  const { place, ann, bob, helper, narrow, reader, owner } = await open();
  const own = await say(place, ann);
  const helped = await say(place, helper);
  const narrowed = await say(place, narrow);
  const bobs = await say(place, bob);
  expect(await listed(ann)).toEqual([narrowed, helped, own]);
  expect(await listed(helper)).toEqual([helped]);
  expect(await listed(narrow)).toEqual([narrowed]);
  expect(await listed(bob)).toEqual([bobs]);
  for (const all of [reader, owner]) expect(await listed(all)).toEqual([bobs, narrowed, helped, own]);
  expect((await bob("GET", "/v1/conversations?search=new")).json["totalCount"]).toBe(1);
  expect((await narrow("GET", `/v1/conversations/${narrowed}/history`)).json["messages"][0].by).toBe(
    "person:ann key:narrow",
  );
});

test("what is somebody else's is as if it were not there, for whatever is done to it", async () => {
  const { place, ann, bob, narrow } = await open();
  const id = await say(place, ann);
  const missing = `conv_${"0".repeat(16)}`;
  for (const ask of [bob, narrow]) {
    for (const [method, path, body] of [
      ["GET", "/history", undefined],
      ["PATCH", "", { title: "Mine" }],
      ["DELETE", "", undefined],
      ["POST", "/fork", {}],
      ["POST", "/cancel", {}],
    ] as const) {
      const [there, nowhere] = [id, missing].map((each) => ask(method, `/v1/conversations/${each}${path}`, body));
      const [said, expected] = [await there, await nowhere];
      expect([method, path, said?.status]).toEqual([method, path, 404]);
      expect(JSON.stringify(said?.json).replaceAll(id, missing)).toBe(JSON.stringify(expected?.json));
    }
    for (const path of ["/v1/chat", "/v1/chat/stream"]) {
      expect((await ask("POST", path, { message: "hi", conversationId: id })).status).toBe(404);
    }
  }
  expect((await ann("GET", `/v1/conversations/${id}/history`)).json["messages"]).toHaveLength(2);
});

test("who may read evidence reads, forks and goes on in the copy, which is theirs; to change others' takes host:admin", async () => {
  const { place, host, ann, reader, owner } = await open();
  const id = await say(place, ann);
  const at = `/v1/conversations/${id}`;
  expect((await reader("GET", `${at}/history`)).status).toBe(200);
  for (const [method, path, body] of [
    ["PATCH", at, { title: "Mine" }],
    ["DELETE", at, undefined],
    ["POST", `${at}/cancel`, {}],
    ["POST", "/v1/chat", { message: "hi", conversationId: id }],
  ] as const) {
    const { status, json } = await reader(method, path, body);
    expect([method, status, json["error"]]).toEqual([method, 403, "permission_missing"]);
    expect(json["remedy"]).toContain(`${at}/fork`);
  }
  const fork = (await reader("POST", `${at}/fork`, {})).json["id"] as string;
  await say(place, reader, { conversationId: fork });
  expect((await reader("PATCH", `/v1/conversations/${fork}`, { title: "Mine" })).status).toBe(200);
  expect((await ann("GET", `/v1/conversations/${fork}/history`)).status).toBe(404);
  expect((await owner("PATCH", at, { title: "Ours" })).json["title"]).toBe("Ours");
  expect(await remove(host, id)).toBe(204);
  expect(await listed(ann)).toEqual([]);
});

test("a log that does not say who wrote it is there for those who may read evidence alone", async () => {
  const { place, ann, reader } = await open();
  await say(place, ann);
  const id = "conv_imported1";
  const lines = [
    { id, createdAt: "2026-01-02T03:04:05.678Z" },
    { role: "user", content: "Hi", timestamp: "2026-01-02" },
  ];
  const file = join(place.workDir, "workspaces/ws_default/conversations", `${id}.jsonl`);
  writeFileSync(file, lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
  expect([(await listed(reader)).includes(id), (await listed(ann)).includes(id)]).toEqual([true, false]);
  expect((await ann("GET", `/v1/conversations/${id}/history`)).status).toBe(404);
  expect((await reader("GET", `/v1/conversations/${id}/history`)).status).toBe(200);
});

test("who changed a conversation or ended a run is in evidence, and what is deleted had its run ended before", async () => {
  const { place, host, ann, owner } = await open();
  const id = await say(place, ann);
  await ann("PATCH", `/v1/conversations/${id}`, { title: "  " });
  expect(eventsOf(place, "conversation_renamed")).toEqual([]);
  await ann("PATCH", `/v1/conversations/${id}`, { title: "Reports" });
  await owner("POST", `/v1/conversations/${id}/fork`, { atMessage: 1 });
  const told = await host.follow();
  const held = place.hold("never");
  const reader = await host.stream("go", [
    { text: "I look.", calls: [{ name: "desk__echo", input: { hold: held.path } }] },
  ]);
  await reader.until("tool.start");
  const { conversationId, runId } = firstOf(reader.events);
  expect(await remove(host, conversationId)).toBe(204);
  await reader.ended;
  expect(reader.events.at(-1)).toMatchObject({ event: "error", data: { error: "cancelled" } });
  expect((await owner("GET", `/v1/conversations/${conversationId}/history`)).status).toBe(404);
  const facts = ["conversation_renamed", "conversation_forked", "conversation_deleted"].map((type) =>
    eventsOf(place, type).map(({ payload, subject }) => [payload, subject?.id, subject?.door]),
  );
  expect(facts).toEqual([
    [[{ conversation_id: id }, "person://ann", "rest"]],
    [[{ conversation_id: id, at_message: 1 }, "person://owner", "rest"]],
    [[{ conversation_id: conversationId }, "person://owner", "rest"]],
  ]);
  const sequence = (type: string): number => eventsOf(place, type).at(-1)?.["sequence"] as number;
  expect(sequence("conversation_deleted")).toBeLessThan(sequence("run_ended"));
  expect(eventsOf(place, "run_ended").at(-1)?.["payload"]).toMatchObject({
    run_id: runId,
    cancelled_by: "person:owner",
  });
  const updates = told.filter(({ type }) => type === "conversation.updated").map(({ data }) => (data as Json)["id"]);
  expect(updates.filter((each) => each === conversationId).length).toBeGreaterThan(1);
});

test("a run that is cancelled says in evidence that somebody asked for it, and who", async () => {
  const { place, host, owner } = await open();
  const reader = await host.stream("go", [{ text: ["Once", new Promise(() => {})] }]);
  await reader.until("text.delta");
  const { conversationId, runId } = firstOf(reader.events);
  await owner("POST", `/v1/conversations/${conversationId}/cancel`);
  await reader.ended;
  expect(eventsOf(place, "run_cancel_asked")).toMatchObject([
    {
      correlation: { correlation_id: runId },
      payload: { conversation_id: conversationId, run_id: runId },
      subject: { id: "person://owner" },
    },
  ]);
});

test("what would be sent to a model is shown to owners alone, and which files of the host are odd to who steers bundles", async () => {
  const { place, ann, owner } = await open();
  place.skill("broken", "name: [");
  place.skill("reports", "metadata:\n  triggers: [reports]");
  const body = { message: "Any reports?" };
  expect(await ann("POST", "/v1/prompt", body)).toMatchObject({ status: 403, json: { error: "permission_missing" } });
  expect((await owner("POST", "/v1/prompt", body)).status).toBe(200);
  const [seen, all] = [await ann("POST", "/v1/skills/match", body), await owner("POST", "/v1/skills/match", body)];
  expect(all.json["warnings"]).toEqual([expect.stringContaining("broken.md")]);
  expect(seen.json).toEqual({ ...all.json, warnings: [] });
  expect(JSON.stringify(seen.json)).not.toContain(place.dir);
});

test("a key that may not name a skill's server is not told of the skill among those that came close", async () => {
  const { place, narrow, ann } = await open();
  place.skill("reports", "metadata:\n  keywords: [report, weekly, sum]");
  const body = { message: "A report?" };
  expect((await ann("POST", "/v1/skills/match", body)).json["candidates"]).toMatchObject([{ name: "reports" }]);
  expect((await narrow("POST", "/v1/skills/match", body)).json["candidates"]).toEqual([]);
});
