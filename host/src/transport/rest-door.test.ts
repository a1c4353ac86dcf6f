import { request } from "node:http";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { JSON_HEADERS, knock } from "./client-for-tests.ts";
import { openTestDoor, OTHER, type TestDoor } from "./door-for-tests.ts";

let door: TestDoor;
beforeAll(async () => {
  door = await openTestDoor();
});
afterAll(async () => {
  await door.listener.close();
  expect(door.listener.load().calls).toBe(0);
});

const get = (path: string, headers: Record<string, string> = JSON_HEADERS) =>
  knock(door.origin, { method: "GET", path, headers });
const post = (path: string, body: object | string, headers: Record<string, string> = {}) =>
  knock(door.origin, { path, headers: { ...JSON_HEADERS, ...headers }, body });

describe("what needs no key", () => {
  it("health says one word, and more to a caller with a key", async () => {
    const before = door.rejected.length;
    expect((await get("/v1/health", {})).json).toEqual({ status: "ok" });
    expect(door.rejected.length).toBe(before);
    expect((await get("/v1/health")).json).toEqual({ status: "ok", version: "1.2.3", model: "ok" });
    expect((await get("/v1/health", { authorization: "Bearer no" })).status).toBe(401);
  });

  it("the schema of the configuration", async () => {
    expect((await get("/v1/schema/bailiwick.json", {})).json).toEqual({ type: "object" });
  });

  it("a page for people, which runs nothing", async () => {
    const said = await get("/", {});
    expect(said.headers["content-type"]).toContain("text/html");
    expect(said.headers["content-security-policy"]).toContain("default-src 'none'");
    expect(said.text).toContain("https://public.example/mcp");
    expect(said.text).not.toContain("no-auth");
  });
});

describe("every other path", () => {
  it.each([
    ["GET", "/v1/nope"],
    ["POST", "/v1/health"],
    ["GET", "/v1/keys/"],
    ["DELETE", "/v1/keys/a/b"],
    ["GET", "/mcp/"],
    ["GET", "/.well-known/oauth-protected-resource"],
    ["GET", "//evil.example/v1/health"],
    ["GET", "/v1/../v1/health/"],
    ["POST", "/"],
  ])("%s %s is not found, and the answer says what there is", async (method, path) => {
    const said = await knock(door.origin, { method, path });
    expect(said.status).toBe(404);
    expect(said.json).toMatchObject({ error: "not_found", remedy: expect.stringContaining("/mcp") });
  });

  it("asks for a key before it tells anything", async () => {
    for (const path of ["/v1/tools", "/v1/providers", "/v1/keys", "/v1/conversations", "/v1/runs/run_1/events"]) {
      const said = await get(path, {});
      expect(said).toMatchObject({ status: 401, json: { error: "unauthenticated" } });
      expect(said.headers["www-authenticate"]).toBe("Bearer");
    }
  });
});

describe("a workspace named in a header", () => {
  it("is the caller's own, or there is none", async () => {
    expect((await get("/v1/tools", { ...JSON_HEADERS, "x-workspace-id": "default" })).status).toBe(200);
    expect((await get("/v1/tools", { ...JSON_HEADERS, "x-workspace-id": "theirs" })).status).toBe(404);
  });
});

describe("tools", () => {
  it("lists the surface with its token", async () => {
    expect((await get("/v1/tools?q=x%20y")).json).toEqual({ surface: "s1", tools: [] });
  });

  it("calls by flat name with the text as it came", async () => {
    const said = await post("/v1/tools/call", '{"name":"echo","arguments":{"b": 1.0},"surface":"s1"}');
    expect(said.json.content[0].text).toBe('{"b": 1.0}');
    expect(door.calls.at(-1)).toMatchObject({ door: "rest", name: "echo", provider: null, surface: "s1" });
  });

  it("calls by server and tool", async () => {
    await post("/v1/tools/call", { server: "p", tool: "echo" });
    expect(door.calls.at(-1)).toMatchObject({ name: "echo", provider: "p", args: {}, argsJson: null });
  });

  it.each([
    [{}],
    [{ name: 1 }],
    [{ name: "a", server: "p" }],
    [{ server: "p" }],
    [{ name: "a", arguments: [] }],
    [{ name: "a", arguments: "x" }],
    [{ name: "a", surface: 1 }],
    [{ name: "a", idempotencyKey: "" }],
    [{ name: "a", idempotencyKey: 1 }],
    [{ name: "a", idempotencyKey: "k".repeat(257) }],
    [[]],
  ])("%j is a bad request that reaches nobody", async (body) => {
    const before = door.calls.length;
    const said = await post("/v1/tools/call", body);
    expect(said).toMatchObject({ status: 400, json: { error: "bad_request", remedy: expect.any(String) } });
    expect(door.calls.length).toBe(before);
  });

  it.each([
    ["too large", "x".repeat(1_048_577), {}, 413, "too_large"],
    ["of another type", "{}", { "content-type": "text/plain" }, 415, "unsupported_type"],
    ["not JSON", "{", {}, 400, "bad_request"],
    ["with a member twice", '{"name":"a","name":"b"}', {}, 400, "bad_request"],
  ])("a body %s is refused", async (_, body, headers, status, error) => {
    expect(await post("/v1/tools/call", body, headers)).toMatchObject({ status, json: { error } });
  });

  it("shows nothing of a bug's inside", async () => {
    const said = await post("/v1/tools/call", { name: "bug" });
    expect(said).toMatchObject({ status: 500, json: { error: "internal" } });
    expect(said.text).not.toContain("secret");
  });

  it("cancels when the caller leaves", async () => {
    const before = door.calls.length;
    const req = request(`${door.origin}/v1/tools/call`, { method: "POST", headers: JSON_HEADERS, agent: false });
    req.on("error", () => {});
    req.end('{"name":"slow"}');
    await vi.waitFor(() => expect(door.calls.length).toBe(before + 1));
    req.destroy();
    await vi.waitFor(() => expect(door.calls.at(-1)?.signal.aborted).toBe(true));
  });
});

describe("keys", () => {
  const stranger = { authorization: `Bearer ${OTHER}` };

  it("are made, listed and revoked by those who may", async () => {
    const made = await post("/v1/keys", { name: "laptop", scopes: ["p__*"], for: "person:x" });
    expect(made).toMatchObject({ status: 201, json: { secret: "s", key: { name: "laptop", scopes: ["p__*"] } } });
    expect((await get("/v1/keys")).json).toEqual({ keys: [] });
    const revoked = await knock(door.origin, { method: "DELETE", path: "/v1/keys/laptop" });
    expect(revoked.json).toEqual({ key: { name: "laptop" } });
    expect(door.asked).toEqual(["create laptop by person:owner", "revoke laptop by person:owner"]);
    expect((await knock(door.origin, { method: "DELETE", path: "/v1/keys/%zz" })).status).toBe(404);
  });

  it("are nobody else's business", async () => {
    for (const said of [
      await get("/v1/keys", { ...JSON_HEADERS, ...stranger }),
      await post("/v1/keys", { name: "mine" }, stranger),
      await knock(door.origin, {
        method: "DELETE",
        path: "/v1/keys/laptop",
        headers: { ...JSON_HEADERS, ...stranger },
      }),
    ]) {
      expect(said).toMatchObject({ status: 403, json: { error: "permission_missing" } });
      expect(said.headers["www-authenticate"]).toBe("Bearer");
    }
  });

  it.each([[{}], [{ name: "" }], [{ name: "a", scopes: "x" }], [{ name: "a", as: 1 }], [{ name: "a", admin: true }]])(
    "%j makes none",
    async (body) => {
      expect((await post("/v1/keys", body)).status).toBe(400);
    },
  );
});
