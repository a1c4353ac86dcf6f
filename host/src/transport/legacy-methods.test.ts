import { request } from "node:http";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { openSession } from "./client-for-tests.ts";
import { openTestDoor, OTHER, OWNER, type TestDoor } from "./door-for-tests.ts";

let door: TestDoor;
beforeEach(async () => {
  door = await openTestDoor();
});
afterEach(async () => {
  door.release();
  await door.listener.close();
  expect(door.listener.load()).toEqual({ calls: 0, sessions: 0 });
});

const until = (check: () => void): Promise<void> => vi.waitFor(check, { timeout: 5000, interval: 5 });

describe("a call in a session", () => {
  it("forwards the client's text as it came, without what belongs to the host", async () => {
    const { post } = await openSession(door.origin);
    const meta =
      '{"progressToken":"t","dcc":{"a":1},"dev.bailiwick/provider":"q","x/y": 1.0 ,"ai.nimblebrain/z":1,' +
      '"traceparent":"00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"}';
    const params = `{"name":"echo","arguments":{"b": 1.0,"a":12345678901234567890},"extra":[ 1 ],"_meta":${meta}}`;
    const said = await post(`{"jsonrpc":"2.0","id":"ü","method":"tools/call","params":${params}}`);
    expect(said.json).toMatchObject({ id: "ü" });
    expect(said.json.result.content[0].text).toBe('{"b": 1.0,"a":12345678901234567890}');
    expect(door.calls[0]).toMatchObject({
      door: "mcp",
      operation: "call",
      name: "echo",
      provider: null,
      extraParams: '"extra":[ 1 ]',
      meta: '"x/y": 1.0,"traceparent":"00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"',
      providerHint: "q",
      traceparent: "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
    });
  });

  it("hands back what the upstream said, character for character", async () => {
    const { call } = await openSession(door.origin);
    const said = await call("tools/call", { name: "odd" });
    expect(said.text).toBe('{"jsonrpc":"2.0","id":1,"result":{ "content" : [],\n"n":1.0,"big":12345678901234567890 }}');
  });

  it("wraps structured content that a legacy client could not take", async () => {
    const { call } = await openSession(door.origin);
    expect((await call("tools/call", { name: "typed" })).text).toContain('"structuredContent":{"result":[1,2.0]}');
  });

  it("says not-found in the way of its era", async () => {
    const { call } = await openSession(door.origin);
    for (const uri of ["missing:x", "lacking:x"]) {
      expect((await call("resources/read", { uri })).json.error).toEqual({
        code: -32002,
        message: "no",
        data: { uri },
      });
    }
  });

  it.each([
    ["tools/call", {}],
    ["tools/call", { name: 7 }],
    ["tools/call", { name: "echo", arguments: [] }],
    ["tools/call", { name: "echo", arguments: null }],
    ["tools/call", { name: "echo", _meta: 1 }],
    ["resources/read", { name: "echo" }],
    ["completion/complete", { ref: { type: "ref/prompt" } }],
  ])("%s with %j is -32602 and reaches nobody", async (method, params) => {
    const { call } = await openSession(door.origin);
    expect((await call(method, params)).json).toMatchObject({ id: 1, error: { code: -32602 } });
    expect(door.calls).toEqual([]);
  });

  it("turns into a stream when there is progress to tell, at the session's log level", async () => {
    const { call } = await openSession(door.origin);
    const quiet = await call("tools/call", { name: "chatty" });
    expect(quiet.json.map((message: any) => message.method ?? "end")).toEqual(["notifications/message", "end"]);
    await call("logging/setLevel", { level: "critical" });
    expect((await call("tools/call", { name: "chatty" })).headers["content-type"]).toBe("application/json");
    await call("logging/setLevel", { level: "debug" });
    const loud = await call("tools/call", { name: "chatty", _meta: { progressToken: 7 } });
    expect(loud.headers["content-type"]).toBe("text/event-stream");
    expect(loud.json.slice(0, 3).map((message: any) => message.params)).toEqual(
      [1, 2, 3].map((progress) => ({ progressToken: 7, progress, total: 3 })),
    );
    expect(loud.json.slice(3).map((message: any) => message.params?.level ?? message.id)).toEqual([
      "debug",
      "warning",
      1,
    ]);
    expect((await call("logging/setLevel", { level: "loud" })).json.error.code).toBe(-32602);
  });

  it("gives plain JSON to a client that takes nothing else", async () => {
    const { post } = await openSession(door.origin);
    const params = { name: "chatty", _meta: { progressToken: 7 } };
    const said = await post({ jsonrpc: "2.0", id: 1, method: "tools/call", params }, { accept: "application/json" });
    expect(said.json.result.content).toHaveLength(1);
  });

  it("ends when the client says so, and owes no answer then", async () => {
    const { post, call } = await openSession(door.origin);
    const answer = call("tools/call", { name: "slow" }, "a");
    await until(() => expect(door.calls).toHaveLength(1));
    const cancel = { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: "a" } };
    expect((await post(cancel)).status).toBe(202);
    expect(await answer).toMatchObject({ status: 202, text: "" });
    expect(door.calls[0]?.signal.aborted).toBe(true);
  });

  it("is not ended by another session's cancellation", async () => {
    const mine = await openSession(door.origin);
    const yours = await openSession(door.origin);
    const answer = mine.call("tools/call", { name: "slow" }, 1);
    await until(() => expect(door.calls).toHaveLength(1));
    await yours.post({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 1 } });
    expect(door.calls[0]?.signal.aborted).toBe(false);
    door.release();
    expect((await answer).status).toBe(200);
  });

  it("goes on when the client only loses its connection", async () => {
    const { headers } = await openSession(door.origin);
    const req = request(`${door.origin}/mcp`, { method: "POST", headers, agent: false });
    req.on("error", () => {});
    req.end(JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "slow" } }));
    await until(() => expect(door.calls).toHaveLength(1));
    req.destroy();
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(door.calls[0]?.signal.aborted).toBe(false);
    expect(door.listener.load().calls).toBe(1);
    door.release();
    await until(() => expect(door.listener.load().calls).toBe(0));
  });

  it("shows nothing of a bug's inside", async () => {
    const { call } = await openSession(door.origin);
    const said = await call("tools/call", { name: "bug" });
    expect(said).toMatchObject({ status: 500, json: { id: 1, error: { code: -32603 } } });
    expect(said.text).not.toContain("secret");
    expect(door.bugs).toHaveLength(1);
  });

  it("is refused as rate_limited above 256 in flight", async () => {
    const { call } = await openSession(door.origin);
    const answers = Array.from({ length: 256 }, (_, i) => call("tools/call", { name: "slow" }, i));
    await until(() => expect(door.listener.load().calls).toBe(256));
    const refused = await call("tools/call", { name: "echo" });
    expect(refused.json.result._meta["dev.bailiwick/refusal"].kind).toBe("rate_limited");
    const other = await openSession(door.origin, "2025-11-25", "/mcp", OTHER);
    expect((await other.call("tools/call", { name: "echo" })).json.result.content).toHaveLength(1);
    const shared = { ...door.principals.get(OWNER)!, onBehalfOf: "person:else" };
    door.principals.set("shared-key", shared);
    const same = await openSession(door.origin, "2025-11-25", "/mcp", "shared-key");
    expect((await same.call("tools/call", { name: "echo" })).json.result.content).toHaveLength(1);
    door.release();
    for (const said of await Promise.all(answers)) expect(said.status).toBe(200);
  });
});
