/** Walls around conversations and runs: other workspaces, other keys, other sites, and ids that are none. */
import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { readChat } from "../transport/chat-reader-for-tests.ts";
import { knock, type Said } from "../transport/client-for-tests.ts";
import { makeAgentPlace, startAgent, type AgentHost, type AgentPlace, type Json } from "./agent-host-for-tests.ts";

const OK = [{ text: "ok", forever: true as const }];
const by = (secret: string): Record<string, string> => ({
  authorization: `Bearer ${secret}`,
  "content-type": "application/json",
});
const UNKNOWN = { conversation: "conv_0000000000000000", run: `run_${"0".repeat(32)}` };

interface Ids {
  readonly conversation: string;
  readonly run: string;
}
/** Every request that names a conversation or a run. */
const ROUTES: readonly (readonly [string, string, (ids: Ids) => string, ((ids: Ids) => object)?])[] = [
  ["history", "GET", ({ conversation }) => `/v1/conversations/${conversation}/history`],
  ["rename", "PATCH", ({ conversation }) => `/v1/conversations/${conversation}`, () => ({ title: "mine" })],
  ["delete", "DELETE", ({ conversation }) => `/v1/conversations/${conversation}`],
  ["fork", "POST", ({ conversation }) => `/v1/conversations/${conversation}/fork`, () => ({})],
  ["cancel", "POST", ({ conversation }) => `/v1/conversations/${conversation}/cancel`, () => ({})],
  ["chat", "POST", () => "/v1/chat", ({ conversation }) => ({ message: "x", conversationId: conversation })],
  ["stream", "POST", () => "/v1/chat/stream", ({ conversation }) => ({ message: "x", conversationId: conversation })],
  ["prompt", "POST", () => "/v1/prompt", ({ conversation }) => ({ message: "x", conversationId: conversation })],
  ["events of a run", "GET", ({ run }) => `/v1/runs/${run}/events`],
  ["prompt of a run", "GET", ({ run }) => `/v1/runs/${run}/prompt`],
];

const askAll = async (host: AgentHost, headers: Record<string, string>, ids: Ids): Promise<unknown[]> => {
  const said: unknown[] = [];
  for (const [name, method, path, body] of ROUTES) {
    const { status, text } = await knock(host.origin, {
      method,
      path: path(ids),
      headers,
      ...(body && { body: body(ids) }),
    });
    said.push([name, status, text.replaceAll(ids.conversation, "CONVERSATION").replaceAll(ids.run, "RUN")]);
  }
  return said;
};

const withLab = async (): Promise<{ readonly place: AgentPlace; readonly host: AgentHost; readonly ann: string }> => {
  const place = await makeAgentPlace();
  const lab = join(place.workDir, "workspaces", "ws_lab");
  mkdirSync(lab, { recursive: true });
  writeFileSync(join(lab, "workspace.json"), JSON.stringify({ members: ["person:ann", "person:owner"] }));
  place.skill("house", "metadata:\n  triggers: [tidy]");
  const host = await place.open();
  const { secret: ann } = await host.keys.create({ name: "ann", as: "person:ann", workspace: "ws_lab" });
  return { place, host, ann };
};

const begin = async (host: AgentHost, headers?: Record<string, string>): Promise<Ids> => {
  const { status, json } = await host.rest("POST", "/v1/chat", { message: "the secret" }, headers);
  expect(status).toBe(200);
  return { conversation: json.conversationId as string, run: json.runId as string };
};

describe("a conversation", () => {
  it("of another workspace is the same to everybody there as one that there is not", async () => {
    const { host, ann, place } = await withLab();
    place.stub.script(OK);
    const ids = await begin(host);
    const sent = place.stub.requests().length;
    const unknown = await askAll(host, by(ann), UNKNOWN);
    expect(await askAll(host, by(ann), ids)).toEqual(unknown);
    // What a model would get is for owners alone, whatever they name.
    const statuses = ROUTES.map(([name]) => (name === "prompt" ? 403 : 404));
    expect(unknown.map((row) => (row as unknown[])[1])).toEqual(statuses);
    const owner = { ...by(host.key), "x-workspace-id": "ws_lab" };
    expect(await askAll(host, owner, ids)).toEqual(await askAll(host, owner, UNKNOWN));
    expect(place.stub.requests()).toHaveLength(sent);
    expect((await host.rest("GET", "/v1/conversations", undefined, by(ann))).json).toMatchObject({ totalCount: 0 });
    const theirs = await begin(host, by(ann));
    expect((await host.rest("GET", "/v1/conversations", undefined, owner)).json.conversations).toMatchObject([
      { id: theirs.conversation },
    ]);
    expect((await host.rest("GET", `/v1/conversations/${ids.conversation}/history`)).json.messages).toHaveLength(2);
  });

  it("is told of in the events of its own workspace alone", async () => {
    const { host, ann, place } = await withLab();
    place.stub.script(OK);
    const heard = await readChat(host.origin, { method: "GET", path: "/v1/events", headers: by(ann) });
    const ids = await begin(host);
    const theirs = await begin(host, by(ann));
    await heard.until("conversation.updated");
    const told = heard.events.filter(({ event }) => event === "conversation.updated").map(({ data }) => data.id);
    expect(new Set(told)).toEqual(new Set([theirs.conversation]));
    expect(JSON.stringify(heard.events)).not.toContain(ids.conversation);
    heard.leave();
  });

  it("of somebody else is not there for a key with scopes, nor are their runs for any other key", async () => {
    const { host, place } = await withLab();
    place.stub.script(OK);
    const ids = await begin(host);
    const { secret: narrow } = await host.keys.create({ name: "narrow", scopes: ["desk__echo"] });
    const { secret: other } = await host.keys.create({ name: "other" });
    expect(await askAll(host, by(narrow), ids)).toEqual(await askAll(host, by(narrow), UNKNOWN));
    const { secret: same } = await host.keys.create({ name: "same", as: "person:owner", scopes: ["desk__echo"] });
    const seen = await host.rest("GET", `/v1/conversations/${ids.conversation}/history`, undefined, by(same));
    expect(seen.status).toBe(404);
    const listed = async (): Promise<unknown> => {
      const { json } = await host.rest("GET", "/v1/conversations", undefined, by(narrow));
      return [json.totalCount, (json.conversations as Json[]).map(({ id }) => id)];
    };
    expect(await listed()).toEqual([0, []]);
    const own = await begin(host, by(narrow));
    expect(await listed()).toEqual([1, [own.conversation]]);
    const history = `/v1/conversations/${own.conversation}/history`;
    expect((await host.rest("GET", history, undefined, by(narrow))).json.messages).toHaveLength(2);
    // From then on it is not the key's own any more.
    await host.ask({ message: "the owner's", conversationId: own.conversation });
    expect((await host.rest("GET", history, undefined, by(narrow))).status).toBe(404);
    for (const path of [`/v1/runs/${ids.run}/events`, `/v1/runs/${ids.run}/prompt`]) {
      expect((await host.rest("GET", path, undefined, by(other))).status).toBe(404);
    }
  });
});

/** A path of dots alone is another path before anybody looks for an id in it. */
const TRAVERSAL = [
  "..%2f..",
  "%252e%252e",
  "%2e%2e%2fworkspace",
  "conv_..%2f..%2fevil",
  "..%5c..%5cevil",
  "conv_000000%00",
  "conv_000000%0a",
  "conv_000000.meta",
  "conv_000000.jsonl",
  "CONV_000000",
  "conv_",
  `conv_${"a".repeat(65)}`,
  "conv_%C3%A9%C3%A9%C3%A9%C3%A9%C3%A9%C3%A9",
  "%",
  "%ff",
  "__proto__",
  "constructor",
];

it("an id that is none reaches no file, at any route", async () => {
  const { place, origin, key } = await startAgent();
  const workspaces = join(place.workDir, "workspaces");
  const evil = JSON.stringify({ id: "evil", createdAt: "2020-01-01T00:00:00.000Z" });
  writeFileSync(join(workspaces, "evil.jsonl"), `${evil}\n`);
  const files = (): readonly string[] =>
    readdirSync(workspaces, { recursive: true, encoding: "utf8" })
      .filter((file) => /conv|jsonl|evil/.test(file))
      .toSorted();
  const before = files();
  for (const id of TRAVERSAL) {
    for (const [name, method, path, body] of ROUTES) {
      // In a body there is nothing to decode.
      const written = { conversation: safeDecode(id), run: "" };
      const order = { method, path: path({ conversation: id, run: id }), headers: by(key) };
      const { status, json } = await knock(origin, { ...order, ...(body && { body: body(written) }) });
      expect([name, id, status]).toEqual([name, id, expect.toSatisfy((code) => code === 400 || code === 404)]);
      expect(json).toMatchObject({ error: expect.any(String), remedy: expect.any(String) });
    }
  }
  expect(files()).toEqual(before);
});

const safeDecode = (text: string): string => {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
};

it("a key that is revoked in the middle of a run calls nothing any more", async () => {
  const { place, ...host } = await startAgent();
  const { secret } = await host.keys.create({ name: "short" });
  const hold = place.hold("first");
  place.stub.script([
    { calls: [{ name: "desk__echo", input: { hold: hold.path } }] },
    { calls: [{ name: "desk__echo" }], forever: true },
  ]);
  const reader = await readChat(host.origin, { path: "/v1/chat/stream", headers: by(secret), body: { message: "go" } });
  await expect.poll(() => place.effects().length, { timeout: 10_000 }).toBe(1);
  await host.keys.revoke("short");
  hold.letGo();
  await reader.ended;
  expect(reader.events.at(-1)).toMatchObject({ event: "error", data: { error: "unauthenticated" } });
  await expect.poll(() => place.evidence("run_ended").length, { timeout: 10_000 }).toBe(1);
  expect(place.evidence("run_ended")[0]?.payload).toMatchObject({ error: "unauthenticated" });
  expect(place.effects()).toEqual(["echo"]);
  const { conversationId } = (reader.events[0]?.data ?? {}) as Json;
  const { json } = await host.rest("GET", `/v1/conversations/${conversationId}/history`);
  expect(json.messages.at(-1).stopReason).toBeUndefined();
});

describe("a request to the agent", () => {
  const POSTS = ["/v1/chat", "/v1/chat/stream", "/v1/prompt", "/v1/skills/match"];
  const BODY = { message: "go" };
  const refuse = async (host: AgentHost, change: (path: string) => Parameters<typeof knock>[1]): Promise<Said[]> => {
    const said: Said[] = [];
    for (const path of POSTS) said.push(await knock(host.origin, { path, ...change(path) }));
    return said;
  };

  it("of another site, under another name, without a credential or as plain text does nothing", async () => {
    const { place, ...host } = await startAgent();
    place.stub.script(OK);
    const login = await knock(host.origin, {
      path: "/v1/auth/login",
      headers: { "content-type": "application/json" },
      body: { key: host.key },
    });
    const cookie = String(login.headers["set-cookie"]).split(";")[0] ?? "";
    const good = by(host.key);
    const json = { "content-type": "application/json" };
    const table: readonly (readonly [string, Record<string, string>, object | string, number])[] = [
      ["another site", { ...good, origin: "https://evil.example" }, BODY, 403],
      ["a site without a name", { ...good, origin: "null" }, BODY, 403],
      ["a rebound name", { ...good, host: "evil.example" }, BODY, 421],
      ["no credential", json, BODY, 401],
      ["a credential that is none", { ...json, authorization: "Bearer bw_nobody" }, BODY, 401],
      ["plain text", { ...good, "content-type": "text/plain" }, JSON.stringify(BODY), 415],
      ["a form", { ...good, "content-type": "application/x-www-form-urlencoded" }, "message=go", 415],
      ["no type", { authorization: good["authorization"] ?? "" }, JSON.stringify(BODY), 415],
      ["a cookie without the header of ours", { ...json, cookie }, BODY, 403],
      [
        "a cookie from another site",
        { ...json, cookie, "x-bailiwick": "1", origin: "https://evil.example" },
        BODY,
        403,
      ],
      ["a workspace of others", { ...good, "x-workspace-id": "ws_none" }, BODY, 404],
      ["a workspace that is a path", { ...good, "x-workspace-id": "../../etc" }, BODY, 404],
      ["a principal in the body", good, { ...BODY, principal: "person:root" }, 400],
      ["an actor in the body", good, { ...BODY, actor: "person:root" }, 400],
      ["a workspace in the body", good, { ...BODY, workspace: "ws_lab" }, 400],
      ["an owner's role in the body", good, { ...BODY, roles: ["owner"] }, 400],
      ["too much", good, { message: "x".repeat(1_100_000) }, 413],
    ];
    for (const [what, headers, body, status] of table) {
      const said = await refuse(host, () => ({ headers, body }));
      expect([what, said.map((each) => each.status)]).toEqual([what, POSTS.map(() => status)]);
      for (const each of said)
        expect(each.json).toMatchObject({ error: expect.any(String), remedy: expect.stringMatching(/\S/) });
    }
    expect(place.stub.requests()).toEqual([]);
    expect((await host.rest("GET", "/v1/conversations")).json.totalCount).toBe(0);
    const own = await knock(host.origin, {
      path: "/v1/chat",
      headers: { ...json, cookie, "x-bailiwick": "1" },
      body: BODY,
    });
    expect(own.status).toBe(200);
  });

  it("is recorded as whoever holds the key, whatever its metadata says", async () => {
    const { place, ...host } = await startAgent();
    const { secret } = await host.keys.create({ name: "planner" });
    const metadata = { principal: "person:root", actor: "person:root", roles: ["owner"], on_behalf_of: "person:root" };
    place.stub.script([{ calls: [{ name: "desk__echo", input: metadata }] }, { text: "ok" }]);
    expect((await host.rest("POST", "/v1/chat", { message: "go", metadata }, by(secret))).status).toBe(200);
    const subjects = place.events().filter(({ correlation }) => correlation.correlation_id.startsWith("run_"));
    expect(subjects.length).toBeGreaterThan(2);
    for (const { subject } of subjects) expect(subject).toMatchObject({ id: "agent://bailiwick" });
    for (const { subject } of subjects) expect(JSON.stringify(subject)).not.toContain("root");
  });
});
