import { request, type IncomingMessage } from "node:http";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { knock, openSession } from "./client-for-tests.ts";
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

describe("the handshake", () => {
  it.each([
    ["2025-11-25", "2025-11-25"],
    ["2025-06-18", "2025-06-18"],
    ["2025-03-26", "2025-03-26"],
    ["2024-11-05", "2024-11-05"],
    ["1999-01-01", "2025-11-25"],
  ])("a client that asks for %s gets %s", async (asked, given) => {
    const { said } = await openSession(door.origin, asked);
    expect(said.json).toMatchObject({
      id: 0,
      result: {
        protocolVersion: given,
        serverInfo: { name: "bailiwick", version: "1.2.3" },
        capabilities: { tools: { listChanged: true }, prompts: {}, resources: {}, logging: {} },
        instructions: "Read this first.",
      },
    });
    expect(said.json.result.capabilities.resources).toEqual({ listChanged: true, subscribe: true });
    expect(said.headers["mcp-session-id"]).toMatch(/^[0-9a-f]{32}$/);
  });

  it("that declares more than 64 KiB is refused with the limit and opens nothing", async () => {
    const declare = (chars: number) =>
      openSession(door.origin, "2025-11-25", "/mcp", OWNER, { experimental: { x: "ü".repeat(chars) } });
    const { said } = await declare(32_768);
    expect(said.json.error).toMatchObject({
      code: -32602,
      message: expect.stringContaining("65536"),
      data: { limit: 65_536 },
    });
    expect(door.listener.load().sessions).toBe(0);
    expect((await declare(32_000)).said.json.result).toBeDefined();
  });

  it("without a version is refused by name and opens nothing", async () => {
    const said = await knock(door.origin, { body: { jsonrpc: "2.0", id: 5, method: "initialize", params: {} } });
    expect(said.json).toMatchObject({ id: 5, error: { code: -32602 } });
    expect(door.listener.load().sessions).toBe(0);
  });
});

describe("a session", () => {
  it.each([
    ["none", {}, 400],
    ["an unknown one", { "mcp-session-id": "0".repeat(32) }, 404],
  ])("%s: refused with %i", async (_, extra, status) => {
    const { headers } = await openSession(door.origin);
    const { "mcp-session-id": _id, ...bare } = headers;
    const said = await knock(door.origin, {
      headers: { ...bare, ...extra },
      body: { jsonrpc: "2.0", id: 3, method: "ping" },
    });
    expect(said.status).toBe(status);
    expect(said.json).toMatchObject({ id: 3, error: { code: -32600 } });
  });

  it("of another principal does not exist, nor on another endpoint", async () => {
    const { id, call } = await openSession(door.origin);
    const other = await openSession(door.origin, "2025-11-25", "/mcp", OTHER);
    expect((await other.post({ jsonrpc: "2.0", id: 1, method: "ping" }, { "mcp-session-id": id })).status).toBe(404);
    const own = await openSession(door.origin, "2025-11-25", "/mcp/providers/p");
    expect((await own.post({ jsonrpc: "2.0", id: 1, method: "ping" }, { "mcp-session-id": id })).status).toBe(404);
    expect((await call("ping")).json).toEqual({ jsonrpc: "2.0", id: 1, result: {} });
  });

  it("ends with DELETE, once", async () => {
    const { headers, call } = await openSession(door.origin);
    expect((await knock(door.origin, { method: "DELETE", headers })).status).toBe(204);
    expect((await knock(door.origin, { method: "DELETE", headers })).status).toBe(404);
    expect((await call("ping")).status).toBe(404);
  });

  it("refuses a protocol version nobody speaks", async () => {
    const { post } = await openSession(door.origin);
    const said = await post({ jsonrpc: "2.0", id: 1, method: "ping" }, { "mcp-protocol-version": "2020-01-01" });
    expect(said.status).toBe(400);
    expect(said.json.error).toMatchObject({ code: -32022, data: { requested: "2020-01-01" } });
  });

  it("answers the methods it announced and no others", async () => {
    const { call } = await openSession(door.origin);
    expect((await call("tools/list")).text).toBe(`{"jsonrpc":"2.0","id":1,"result":{"tools":${door.shown.tools}}}`);
    expect((await call("prompts/list")).json.result).toEqual({ prompts: [] });
    expect((await call("resources/list")).json.result).toEqual({ resources: [] });
    expect((await call("resources/templates/list")).json.result).toEqual({ resourceTemplates: [] });
    expect((await call("prompts/get", { name: "x" })).json.result).toEqual({ messages: [] });
    expect((await call("resources/read", { uri: "a:b" })).json.result.contents).toHaveLength(1);
    for (const method of ["nope", "subscriptions/listen", "tasks/list", "server/discover", "constructor"]) {
      const said = await call(method);
      expect(said.status).toBe(200);
      expect(said.json.error.code).toBe(-32601);
    }
  });

  it("on one provider's endpoint offers only what that provider has", async () => {
    const { said, call } = await openSession(door.origin, "2025-11-25", "/mcp/providers/p");
    expect(said.json.result.capabilities).not.toHaveProperty("prompts");
    expect((await call("prompts/list")).json.error.code).toBe(-32601);
    await call("tools/call", { name: "echo", arguments: {} });
    expect(door.calls.at(-1)).toMatchObject({ provider: "p", name: "echo" });
    const unknown = await knock(door.origin, { path: "/mcp/providers/q", body: {} });
    expect(unknown.status).toBe(404);
    expect(unknown.json.error.data).toMatchObject({ kind: "not_found" });
  });

  it("takes the place of the longest idle one above a hundred", async () => {
    const first = await openSession(door.origin);
    const second = await openSession(door.origin);
    for (let i = 0; i < 98; i++) await openSession(door.origin);
    await first.call("ping");
    await openSession(door.origin);
    expect((await first.call("ping")).status).toBe(200);
    expect((await second.call("ping")).status).toBe(404);
    expect(door.listener.load().sessions).toBe(100);
  });
});

describe("an array of messages", () => {
  const ping = (id: number): object => ({ jsonrpc: "2.0", id, method: "ping" });

  it("is answered in its order in a 2025-03-26 session", async () => {
    const { post } = await openSession(door.origin, "2025-03-26");
    const notice = { jsonrpc: "2.0", method: "notifications/initialized" };
    const echo = { jsonrpc: "2.0", id: 2, method: "tools/call", params: { name: "echo", arguments: { a: 1 } } };
    const said = await post([ping(1), notice, echo, { ...ping(3), method: "nope" }]);
    expect(said.json.map((message: any) => message.id)).toEqual([1, 2, 3]);
    expect(said.json[1].result.content[0].text).toBe('{"a":1}');
    expect((await post([notice])).status).toBe(202);
  });

  it.each([
    ["in another version", "2025-11-25", [ping(1)]],
    ["above fifty", "2025-03-26", Array.from({ length: 51 }, (_, i) => ping(i))],
    ["with initialize in it", "2025-03-26", [{ ...ping(1), method: "initialize" }]],
    ["empty", "2025-03-26", []],
  ])("%s is refused", async (_, version, items) => {
    const { post } = await openSession(door.origin, version);
    const said = await post(items);
    expect(said.status).toBe(400);
    expect(said.json.error.code).toBe(-32600);
  });
});

describe("the stream of a session", () => {
  const open = (headers: Record<string, string>): Promise<{ res: IncomingMessage; text: () => string }> =>
    new Promise((resolve, reject) => {
      const req = request(`${door.origin}/mcp`, { headers, agent: false }, (res) => {
        let text = "";
        res.on("data", (chunk: Buffer) => (text += chunk.toString()));
        res.on("error", () => {});
        resolve({ res, text: () => text });
      });
      req.on("error", reject);
      req.end();
    });
  const CHANGES = ["tools", "prompts", "resources"].map((kind) => `notifications/${kind}/list_changed`);
  const methods = (text: string): string[] => [...text.matchAll(/"method":"([^"]+)"/g)].map((match) => match[1] ?? "");

  it("tells of changed lists, on one stream only", async () => {
    const { headers } = await openSession(door.origin);
    const [older, newer] = [await open(headers), await open(headers)];
    door.announceChange();
    await until(() => expect(methods(newer.text())).toEqual(CHANGES));
    expect(older.text()).toBe("");
    newer.res.destroy();
    older.res.destroy();
  });

  it("tells a change that came before it was opened", async () => {
    const { headers } = await openSession(door.origin);
    door.announceChange();
    door.announceChange();
    const stream = await open(headers);
    await until(() => expect(methods(stream.text())).toEqual(CHANGES));
    stream.res.destroy();
  });

  it("ends when the key is revoked, before it tells anything", async () => {
    const { headers } = await openSession(door.origin);
    const stream = await open(headers);
    const ended = new Promise((resolve) => stream.res.on("end", resolve));
    door.principals.delete(OWNER);
    door.announceChange();
    await ended;
    expect(stream.text()).toBe("");
  });

  it("ends with its session", async () => {
    const { headers } = await openSession(door.origin);
    const stream = await open(headers);
    const ended = new Promise((resolve) => stream.res.on("end", () => resolve("ended")));
    await knock(door.origin, { method: "DELETE", headers });
    expect(await ended).toBe("ended");
  });

  it("is refused to a client that cannot read it", async () => {
    const { headers } = await openSession(door.origin);
    const said = await knock(door.origin, { method: "GET", headers: { ...headers, accept: "application/json" } });
    expect(said.status).toBe(406);
  });
});
