import { request } from "node:http";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { Refusal } from "../kernel/refusal.ts";
import { KNOWN, type StandInChats } from "./chat-agent-for-tests.ts";
import { readChat } from "./chat-reader-for-tests.ts";
import { resultOf } from "./chat-run-for-tests.ts";
import { JSON_HEADERS, knock, type Said } from "./client-for-tests.ts";
import { openTestDoor, OTHER, type TestDoor } from "./door-for-tests.ts";

let door: TestDoor;
let chats: StandInChats;
beforeEach(async () => {
  door = await openTestDoor({ timings: { closeMs: 50 } });
  ({ chats } = door.governance);
});
afterEach(async () => {
  await door.listener.close();
  expect(door.listener.load().calls).toBe(0);
});

const post = (path: string, body: object | string, headers: Record<string, string> = {}): Promise<Said> =>
  knock(door.origin, { path, headers: { ...JSON_HEADERS, ...headers }, body });
const NOTHING = {
  conversationId: null,
  model: null,
  maxIterations: null,
  allowedTools: null,
  skill: null,
  app: null,
  fileRefs: [],
  metadata: null,
};

describe("a message", () => {
  it("is answered with the whole result, and waits for no approval", async () => {
    const said = await post("/v1/chat", { message: "hello" });
    expect(said.status).toBe(200);
    expect(said.json).toEqual(resultOf("run_1", KNOWN, "Good morning.\n\u2028é"));
    expect(chats.orders).toEqual([{ message: "hello", ...NOTHING }]);
    expect(chats.log).toEqual(["chat, wait 0, by person:owner at rest as bearer"]);
  });

  it("goes on with all that was said about it", async () => {
    const body = {
      message: "hello",
      conversationId: KNOWN,
      model: "stub:two",
      maxIterations: 99,
      allowedTools: ["files__*", ""],
      skill: "reports",
      appContext: { appName: "Files", serverName: "files" },
      fileRefs: ["files://fl_0123456789abcdef01234567"],
      metadata: { ticket: 7, principal: "person:root" },
    };
    expect((await post("/v1/chat", body)).status).toBe(200);
    const { appContext, ...rest } = body;
    expect(chats.orders).toEqual([{ ...rest, app: appContext }]);
  });

  it("narrows to nothing with an empty list, and matches no skill with false", async () => {
    await post("/v1/chat", { message: "hello", allowedTools: [], skill: false });
    expect(chats.orders).toEqual([{ message: "hello", ...NOTHING, allowedTools: [], skill: false }]);
  });

  it("may leave things out by null, but for the list that narrows", async () => {
    const nulls = { conversationId: null, model: null, maxIterations: null, skill: null, appContext: null };
    expect((await post("/v1/chat", { message: "hello", ...nulls, fileRefs: null, metadata: null })).status).toBe(200);
    expect(chats.orders).toEqual([{ message: "hello", ...NOTHING }]);
    expect((await post("/v1/chat", { message: "hello", allowedTools: null })).status).toBe(400);
  });

  it("may be as long as a body may be, and no longer", async () => {
    expect((await post("/v1/prompt", { message: "x".repeat(1_000_000) })).status).toBe(200);
    for (const path of ["/v1/chat", "/v1/chat/stream", "/v1/prompt"]) {
      const said = await post(path, { message: "x".repeat(1_048_576) });
      expect(said).toMatchObject({ status: 413, json: { error: "too_large" } });
    }
  });

  it.each([
    ["busy", 409, "run_in_progress"],
    ["no model", 503, "model_unconfigured"],
  ])("%j is refused with its status on every route, before a stream", async (message, status, error) => {
    for (const path of ["/v1/chat", "/v1/chat/stream"]) {
      const said = await post(path, { message });
      expect(said).toMatchObject({ status, json: { error, remedy: "Do this." } });
      expect(said.headers["content-type"]).toBe("application/json");
    }
  });

  it.each([
    ["conv_nowhere1", 404, "not_found"],
    ["../../etc", 400, "bad_request"],
  ])("in the conversation %s is refused", async (conversationId, status, error) => {
    for (const path of ["/v1/chat", "/v1/chat/stream"]) {
      expect(await post(path, { message: "hello", conversationId })).toMatchObject({ status, json: { error } });
    }
  });

  it("whose run fails is answered with the status of what ended it", async () => {
    const said = post("/v1/chat", { message: "go" });
    await vi.waitFor(() => expect(chats.runs[0]?.hearers).toBe(1));
    chats.runs[0]?.fail(new Refusal("model_failed", { message: "The model is down.", next: "Try again." }));
    expect(await said).toMatchObject({
      status: 502,
      json: { error: "model_failed", message: "The model is down.", remedy: "Try again." },
    });
  });

  it("that meets a bug shows nothing of its inside", async () => {
    for (const path of ["/v1/chat", "/v1/chat/stream"]) {
      const said = await post(path, { message: "bug" });
      expect(said).toMatchObject({ status: 500, json: { error: "internal" } });
      expect(said.text).not.toContain("secret");
    }
    expect(door.bugs).toHaveLength(2);
  });

  it("is heard until its sender leaves, and not cancelled then", async () => {
    const req = request(`${door.origin}/v1/chat`, { method: "POST", headers: JSON_HEADERS, agent: false });
    req.on("error", () => {});
    req.end('{"message":"go"}');
    await vi.waitFor(() => expect(chats.runs[0]?.hearers).toBe(1));
    req.destroy();
    await vi.waitFor(() => expect(chats.runs[0]?.hearers).toBe(0));
    const again = await readChat(door.origin, { method: "GET", path: "/v1/runs/run_1/events" });
    chats.runs[0]?.finish("there");
    await again.ended;
    expect(again.events.map(({ event }) => event)).toEqual(["chat.start", "done"]);
  });

  it("that is still worked on when the host stops is cancelled, and its sender told", async () => {
    const said = post("/v1/chat", { message: "go" });
    await vi.waitFor(() => expect(chats.runs[0]?.hearers).toBe(1));
    await door.listener.close();
    expect(await said).toMatchObject({ status: 499, json: { error: "cancelled" } });
  });
});

describe("a body", () => {
  const hello = { message: "hello" };
  const bad: readonly (readonly [string, object | string])[] = [
    ['"message"', {}],
    ['"message"', { message: 1 }],
    ['"message"', { message: null }],
    ['"message"', { message: "" }],
    ['"message"', { message: " \n\t\u00a0" }],
    ['"message"', { message: ["hello"] }],
    ['"conversationId"', { ...hello, conversationId: 1 }],
    ['"conversationId"', { ...hello, conversationId: "" }],
    ['"conversationId"', { ...hello, conversationId: "x".repeat(257) }],
    ['"model"', { ...hello, model: "" }],
    ['"model"', { ...hello, model: {} }],
    ['"maxIterations"', { ...hello, maxIterations: 0 }],
    ['"maxIterations"', { ...hello, maxIterations: -1 }],
    ['"maxIterations"', { ...hello, maxIterations: 1.5 }],
    ['"maxIterations"', { ...hello, maxIterations: "5" }],
    ['"maxIterations"', { ...hello, maxIterations: 1e300 }],
    ['"allowedTools"', { ...hello, allowedTools: "files__*" }],
    ['"allowedTools"', { ...hello, allowedTools: [1] }],
    ['"allowedTools"', { ...hello, allowedTools: [null] }],
    ['"allowedTools"', { ...hello, allowedTools: ["x".repeat(257)] }],
    ['"allowedTools"', { ...hello, allowedTools: Array.from({ length: 257 }, () => "a") }],
    ['"skill"', { ...hello, skill: true }],
    ['"skill"', { ...hello, skill: "" }],
    ['"skill"', { ...hello, skill: ["a"] }],
    ['"appContext"', { ...hello, appContext: "files" }],
    ['"appContext"', { ...hello, appContext: [] }],
    ['"serverName" of "appContext"', { ...hello, appContext: { appName: "a" } }],
    ['"appName" of "appContext"', { ...hello, appContext: { appName: "", serverName: "a" } }],
    [
      '"instance" is no field of "appContext"',
      { ...hello, appContext: { appName: "a", serverName: "a", instance: 1 } },
    ],
    ['"fileRefs"', { ...hello, fileRefs: "files://fl_1" }],
    ['"fileRefs"', { ...hello, fileRefs: ["/etc/passwd"] }],
    ['"fileRefs"', { ...hello, fileRefs: ["files://a\nb"] }],
    ['"fileRefs"', { ...hello, fileRefs: Array.from({ length: 33 }, () => "files://fl_1") }],
    ['"metadata"', { ...hello, metadata: [] }],
    ['"metadata"', { ...hello, metadata: { a: "x".repeat(16_384) } }],
    ['"principal"', { ...hello, principal: "person:root" }],
    ['"workspace"', { ...hello, workspace: "ws_other" }],
    ['"__proto__"', '{"message":"hello","__proto__":{"skill":"x"}}'],
    ["not a JSON object", []],
    ["not JSON", "{"],
  ];
  it.each(bad)("with a bad %s is refused by every route that takes one: %#", async (named, body) => {
    for (const path of ["/v1/chat", "/v1/chat/stream", "/v1/prompt"]) {
      const said = await post(path, body);
      expect(said).toMatchObject({ status: 400, json: { error: "bad_request", remedy: expect.any(String) } });
      expect(said.json.message).toContain(named);
    }
    expect(chats.orders).toEqual([]);
  });

  it("with a field misspelt is told the nearest", async () => {
    const said = await post("/v1/chat", { message: "hello", conversationID: KNOWN });
    expect(said.json.remedy).toMatch(/^Did you mean "conversationId"\? Use: message, conversationId, /);
  });

  it.each([
    ["text/plain", "{}", 415],
    ["application/json", "x".repeat(1_048_577), 413],
  ])("as %s of such a size is answered with its status", async (type, body, status) => {
    for (const path of ["/v1/chat", "/v1/chat/stream", "/v1/prompt", "/v1/skills/match"]) {
      expect((await post(path, body, { "content-type": type })).status).toBe(status);
    }
  });
});

describe("what would be sent", () => {
  it("is shown, and nothing is run", async () => {
    const said = await post("/v1/prompt", { message: "hello", skill: "reports" });
    expect(said).toMatchObject({ status: 200, json: { tier: "all", layers: [{ layer: 1, chars: 8 }] } });
    expect(chats.orders).toEqual([{ message: "hello", ...NOTHING, skill: "reports" }]);
    expect(chats.runs).toEqual([]);
  });

  it("and which skill would match", async () => {
    const said = await post("/v1/skills/match", { message: "hello", skill: "reports" });
    expect(said.json).toEqual({ skill: null, allowedTools: null, candidates: [], warnings: [] });
    expect(chats.orders).toEqual([{ message: "hello", skill: "reports" }]);
    expect(await post("/v1/skills/match", { message: "hello", model: "x" })).toMatchObject({
      status: 400,
      json: { message: '"model" is no field of this.' },
    });
    expect((await post("/v1/skills/match", { message: "" })).status).toBe(400);
  });
});

describe("who talks", () => {
  it("is who the key says", async () => {
    await post("/v1/chat", { message: "hello" }, { authorization: `Bearer ${OTHER}` });
    expect(chats.log).toEqual(["chat, wait 0, by person:other at rest as bearer"]);
  });

  it.each(["/v1/chat", "/v1/chat/stream", "/v1/prompt", "/v1/skills/match"])("%s asks for a key", async (path) => {
    const said = await knock(door.origin, {
      path,
      headers: { "content-type": "application/json" },
      body: { message: "hello" },
    });
    expect(said).toMatchObject({ status: 401, json: { error: "unauthenticated" } });
    expect(chats.log).toEqual([]);
  });
});

describe("health", () => {
  it("says to who has a key whether there is a model", async () => {
    const health = (headers: Record<string, string>) =>
      knock(door.origin, { method: "GET", path: "/v1/health", headers });
    expect((await health(JSON_HEADERS)).json).toMatchObject({ status: "ok", model: "ok" });
    chats.model.lacks = "Set ANTHROPIC_API_KEY.";
    expect((await health(JSON_HEADERS)).json).toMatchObject({ status: "ok", model: "unconfigured" });
    expect((await health({})).json).toEqual({ status: "ok" });
  });
});
