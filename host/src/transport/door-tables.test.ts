/** The tables of what a door refuses before it looks at a message: Host, Origin, method, types, credential, size. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { JSON_HEADERS, knock } from "./client-for-tests.ts";
import { openTestDoor, OTHER, type TestDoor } from "./door-for-tests.ts";

let door: TestDoor;
beforeAll(async () => {
  door = await openTestDoor({ limits: { maxRequestBytes: 2000 } });
});
afterAll(() => door.listener.close());

const INITIALIZE = { jsonrpc: "2.0", id: 1, method: "initialize", params: { protocolVersion: "2025-11-25" } };
const post = (headers: Record<string, string>, body: object | string | Buffer = INITIALIZE) =>
  knock(door.origin, { headers: { ...JSON_HEADERS, ...headers }, body });

describe("Host", () => {
  it.each([
    ["localhost", 200],
    ["LOCALHOST:7420", 200],
    ["127.0.0.1", 200],
    ["127.0.0.1:1", 200],
    ["[::1]:7420", 200],
    ["[::1]", 200],
    ["gate.example", 200],
    ["gate.example:99", 200],
    ["ported.example:8443", 200],
    ["public.example", 200],
    ["ported.example", 421],
    ["ported.example:8444", 421],
    ["public.example:81", 421],
    ["evil.example", 421],
    ["localhost.evil.example", 421],
    ["evil.example#localhost", 421],
    ["localhost@evil.example", 421],
    ["127.0.0.1.evil.example:7420", 421],
    ["[::2]:7420", 421],
    ["localhost.", 421],
    [":7420", 421],
  ])("%j is answered with %i", async (host, status) => {
    const said = await post({ host });
    expect(said.status).toBe(status);
    if (status === 421) expect(said.json).toMatchObject({ error: { code: -32600, data: { kind: "bad_host" } } });
    if (status === 421) expect(said.json).not.toHaveProperty("id");
  });

  it("is checked on the API and the page for people too", async () => {
    for (const path of ["/v1/health", "/v1/conversations", "/v1/runs/run_1/events", "/", "/nowhere"]) {
      const said = await knock(door.origin, { method: "GET", path, headers: { host: "evil.example" } });
      expect(said.status).toBe(421);
      expect(said.json).toMatchObject({ error: "bad_host", remedy: expect.stringContaining("http.allowedHosts") });
    }
  });
});

describe("Origin", () => {
  it.each([
    ["http://localhost:7420", "localhost:7420", 200],
    ["https://public.example", "localhost:7420", 200],
    ["https://app.example", "localhost:7420", 200],
    ["http://localhost:7421", "localhost:7420", 403],
    ["https://localhost:7420", "localhost:7420", 403],
    ["http://evil.example", "localhost:7420", 403],
    ["https://app.example.evil.example", "localhost:7420", 403],
    ["http://app.example", "localhost:7420", 403],
    ["null", "localhost:7420", 403],
    ["", "localhost:7420", 403],
  ])("%j at %s is answered with %i", async (origin, host, status) => {
    const said = await post({ origin, host });
    expect(said.status).toBe(status);
    if (status === 403) expect(said.json).toMatchObject({ error: { code: -32600, data: { kind: "bad_origin" } } });
    const foreign = origin === "https://app.example";
    expect(said.headers["access-control-allow-origin"]).toBe(foreign ? origin : undefined);
  });

  it("lets an allowed page ask first, and nobody else", async () => {
    const ask = (origin: string) => knock(door.origin, { method: "OPTIONS", headers: { origin } });
    const allowed = await ask("https://app.example");
    expect(allowed.status).toBe(204);
    expect(allowed.headers["access-control-allow-headers"]).toContain("Authorization");
    expect((await ask("https://evil.example")).status).toBe(403);
    expect((await knock(door.origin, { method: "OPTIONS" })).status).toBe(405);
  });

  it("lets an allowed page send the headers that tools name, and no others", async () => {
    const asked = "authorization, Mcp-Param-Region,mcp-param-x_1, mcp-param-, x-evil, mcp-param-a\tb";
    const headers = { origin: "https://app.example", "access-control-request-headers": asked };
    const said = await knock(door.origin, { method: "OPTIONS", headers });
    expect(said.headers["access-control-allow-headers"]).toMatch(/Last-Event-ID, Mcp-Param-Region, mcp-param-x_1$/);
  });

  it.each([
    ["GET", "/v1/tools"],
    ["POST", "/v1/chat"],
    ["POST", "/v1/chat/stream"],
    ["GET", "/v1/runs/run_1/events"],
    ["GET", "/v1/conversations"],
    ["DELETE", "/v1/conversations/conv_known01"],
  ])("keeps an allowed page out of the API: %s %s", async (method, path) => {
    const said = await knock(door.origin, {
      method,
      path,
      headers: { ...JSON_HEADERS, origin: "https://app.example" },
      ...(method === "POST" && { body: { message: "hello" } }),
    });
    expect(said.status).toBe(403);
    expect(said.json.error).toBe("bad_origin");
    expect(door.governance.chats.log).toEqual([]);
  });
});

describe("credential", () => {
  it.each([
    ["a good key", "Bearer owner-key", 200],
    ["another good key", `Bearer ${OTHER}`, 200],
    ["the scheme in other letters", "bEARER  owner-key ", 200],
    ["a wrong key", "Bearer owner-key2", 401],
    ["a prefix of a key", "Bearer owner-ke", 401],
    ["another scheme", "Basic b3duZXIta2V5", 401],
    ["the bare key", "owner-key", 401],
    ["nothing after the scheme", "Bearer ", 401],
    ["an empty header", "", 401],
  ])("%s: %s", async (_, authorization, status) => {
    const before = door.rejected.length;
    const said = await post({ authorization });
    expect(said.status).toBe(status);
    expect(said.headers["www-authenticate"]).toBe(status === 401 ? "Bearer" : undefined);
    expect(door.rejected.length - before).toBe(status === 401 ? 1 : 0);
  });

  it("is not taken from the URL", async () => {
    const { authorization: _, ...headers } = JSON_HEADERS;
    const said = await knock(door.origin, { path: "/mcp?key=owner-key", headers, body: INITIALIZE });
    expect(said.status).toBe(401);
  });

  it("is asked for before the body is read", async () => {
    const said = await post({ authorization: "Bearer no" }, "x".repeat(100_000));
    expect(said.status).toBe(401);
  });
});

describe("types and methods", () => {
  it.each([
    ["application/json", 200],
    ["Application/JSON; charset=utf-8", 200],
    ["text/plain", 415],
    ["application/jsonp", 415],
    ["application/x-www-form-urlencoded", 415],
    ["", 415],
  ])("content type %j: %i", async (type, status) => {
    const said = await post({ "content-type": type });
    expect(said.status).toBe(status);
  });

  it("refuses a compressed body", async () => {
    expect((await post({ "content-encoding": "gzip" })).status).toBe(415);
  });

  it.each([
    ["application/json, text/event-stream", 200, "application/json"],
    ["application/json", 200, "application/json"],
    ["*/*", 200, "application/json"],
    ["text/*;q=0.5, application/*", 200, "application/json"],
    ["text/event-stream", 200, "text/event-stream"],
    ["text/html", 406, "application/json"],
    ["", 406, "application/json"],
  ])("Accept %j: %i as %s", async (accept, status, type) => {
    const said = await post({ accept });
    expect(said.status).toBe(status);
    expect(said.headers["content-type"]).toBe(type);
  });

  it("takes no Accept as both", async () => {
    const { accept: _, ...headers } = JSON_HEADERS;
    expect((await knock(door.origin, { headers, body: INITIALIZE })).status).toBe(200);
  });

  it.each(["PUT", "PATCH", "HEAD", "TRACE"])("%s on /mcp is a 405 that says what works", async (method) => {
    const said = await knock(door.origin, { method });
    expect(said.status).toBe(405);
    expect(said.headers.allow).toBe("GET, POST, DELETE");
  });

  it("GET without a session is a 405", async () => {
    expect((await knock(door.origin, { method: "GET" })).status).toBe(405);
  });
});

describe("size", () => {
  const body = (size: number): string => {
    const text = JSON.stringify({ ...INITIALIZE, params: { ...INITIALIZE.params, pad: "" } });
    return text.replace('"pad":""', `"pad":"${"x".repeat(size - text.length)}"`);
  };

  it.each([
    [2000, 200],
    [2001, 413],
    [1_000_000, 413],
  ])("%i bytes against a limit of 2000: %i", async (size, status) => {
    const said = await post({}, body(size));
    expect(said.status).toBe(status);
  });

  it("counts what really comes when no length is told", async () => {
    for (const [size, status] of [
      [2000, 200],
      [2001, 413],
    ] as const) {
      expect((await post({ "transfer-encoding": "chunked" }, body(size))).status).toBe(status);
    }
  });
});
