import { afterEach, describe, expect, it, vi } from "vitest";
import { knock, modern, type Said } from "./client-for-tests.ts";
import { openTestDoor, OTHER, OWNER, type TestDoor, type TestDoorOptions } from "./door-for-tests.ts";
import { readChat, type ChatReader } from "./chat-reader-for-tests.ts";
import { MOST_FAILED } from "./login-attempts.ts";
import { openStream } from "./stream-for-tests.ts";
import { WORKSPACE } from "./workspaces-for-tests.ts";

let door: TestDoor;
afterEach(() => door.listener.close());

const open = async (options: TestDoorOptions = {}): Promise<void> => {
  door = await openTestDoor(options);
};
const JSON_TYPE = { "content-type": "application/json" };
const MARK = { "x-bailiwick": "1" };

const login = (body: object | string, headers: Record<string, string> = {}): Promise<Said> =>
  knock(door.origin, { path: "/v1/auth/login", headers: { ...JSON_TYPE, ...headers }, body });

const cookieOf = ({ headers }: Said): string => (headers["set-cookie"]?.[0] ?? "").split(";")[0] ?? "";
const enter = async (key = OWNER): Promise<{ cookie: string }> => ({ cookie: cookieOf(await login({ key })) });

const get = (path: string, headers: Record<string, string>): Promise<Said> =>
  knock(door.origin, { method: "GET", path, headers });
const post = (path: string, headers: Record<string, string>, body: object = {}): Promise<Said> =>
  knock(door.origin, { path, headers: { ...JSON_TYPE, ...headers }, body });

describe("logging in", () => {
  it("gives a cookie that no script reads, no other site sends and no key is in, and says who one is", async () => {
    await open();
    const said = await login({ key: OWNER });
    expect(said.status).toBe(200);
    expect(said.headers["set-cookie"]).toEqual([
      expect.stringMatching(/^bw_session=[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict; Secure$/),
    ]);
    expect(said.headers["cache-control"]).toBe("no-store");
    expect(said.json).toEqual({
      principal: "person:owner",
      kind: "person",
      onBehalfOf: null,
      workspace: WORKSPACE,
      roles: [],
      permissions: ["*"],
      scopes: null,
      credential: "owner",
      expiresAt: expect.stringMatching(/^\d{4}-.*Z$/),
      noAuth: false,
    });
    expect(said.text).not.toContain(OWNER);
    expect(cookieOf(await login({ key: OWNER }))).not.toBe(cookieOf(said));
  });

  it("is over plain http where the host is", async () => {
    await open({ limits: { publicOrigin: null } });
    expect((await login({ key: OWNER })).headers["set-cookie"]?.[0]).not.toContain("Secure");
  });

  it("with a wrong key is refused, counted and slowed down, and a right one does not wait for that", async () => {
    await open();
    for (let n = 0; n < MOST_FAILED; n++) {
      const said = await login({ key: `guess-${n}` });
      expect(said).toMatchObject({ status: 401, json: { error: "unauthenticated" } });
      expect(said.headers["set-cookie"]).toBeUndefined();
      expect(said.text).not.toContain("guess");
    }
    expect(door.rejected.length).toBe(MOST_FAILED);
    expect(await login({ key: "guess" })).toMatchObject({ status: 429, json: { error: "rate_limited" } });
    expect((await login({ key: OWNER })).status).toBe(200);
    expect(door.asked).toEqual(["login by person:owner"]);
    expect((await get("/v1/tools", { authorization: `Bearer ${OWNER}` })).status).toBe(200);
  });

  it.each<[string, object | string]>([
    ["no key", {}],
    ["an empty key", { key: "" }],
    ["a number", { key: 7 }],
    ["an endless key", { key: "x".repeat(20_000) }],
    ["more than a key", { key: OWNER, admin: true }],
    ["a list", "[]"],
    ["broken JSON", "{"],
  ])("with %s is a bad request", async (_, body) => {
    await open();
    expect(await login(body)).toMatchObject({ status: 400, json: { error: "bad_request" } });
  });

  it("needs JSON, and is not for pages of other sites", async () => {
    await open();
    expect((await login({ key: OWNER }, { "content-type": "text/plain" })).status).toBe(415);
    expect((await login({ key: OWNER }, { origin: "https://evil.example" })).status).toBe(403);
    expect((await login({ key: OWNER }, { origin: "https://app.example" })).status).toBe(403);
    expect((await login({ key: OWNER }, { host: "evil.example" })).status).toBe(421);
  });

  it("works again over a login that has ended, and for a workspace of one's own alone", async () => {
    await open();
    expect((await login({ key: OWNER }, { cookie: `bw_session=${"x".repeat(43)}` })).status).toBe(200);
    expect((await login({ key: OWNER }, { "x-workspace-id": "ws_none" })).status).toBe(404);
  });

  it("is nothing where there are no keys", async () => {
    await open({ noAuth: true });
    const said = await login({ key: "whatever" });
    expect(said).toMatchObject({ status: 200, json: { principal: "person:local", noAuth: true, expiresAt: null } });
    expect(said.headers["set-cookie"]).toBeUndefined();
    expect((await get("/v1/auth/session", { cookie: "bw_session=x" })).json).toMatchObject({ noAuth: true });
  });

  it("has a token verified as everywhere", async () => {
    const admitted: string[] = [];
    const tokens = {
      issuer: "https://issuer.example",
      scopesArePermissions: false,
      resource: () => "https://public.example/mcp",
      needsAdmission: (token: string) => token.startsWith("ey"),
      admit: async (token: string) => {
        admitted.push(token);
        return token === "eyGood" ? null : "it has expired";
      },
    } as unknown as NonNullable<TestDoorOptions["tokens"]>;
    await open({ tokens });
    door.principals.set("eyGood", { ...door.principals.get(OTHER)!, credentialId: "token" });
    expect((await login({ key: "eyBad" })).json).toMatchObject({
      error: "unauthenticated",
      message: expect.stringContaining("it has expired"),
    });
    const cookie = cookieOf(await login({ key: "eyGood" }));
    expect((await get("/v1/tools", { cookie })).status).toBe(200);
    expect(admitted).toEqual(["eyBad", "eyGood", "eyGood"]);
  });
});

describe("a login", () => {
  it("is good for the API, files and events, and for no other door", async () => {
    await open();
    const cookie = await enter();
    expect((await get("/v1/tools", cookie)).status).toBe(200);
    expect((await get("/v1/health", cookie)).json).toHaveProperty("version");
    expect((await get("/v1/files", cookie)).status).toBe(200);
    const { headers, ...order } = modern("tools/list");
    const { authorization: _, ...bare } = headers as Record<string, string>;
    expect((await knock(door.origin, { ...order, headers: { ...bare, ...cookie, ...MARK } })).status).toBe(401);
    expect((await get("/chp/capabilities", { authorization: `Bearer ${OWNER}` })).status).toBe(200);
    expect((await get("/chp/capabilities", { ...cookie, ...MARK })).status).toBe(401);
  });

  it("changes nothing without the header that other sites cannot set", async () => {
    await open();
    const cookie = await enter();
    const body = { name: "echo", arguments: {} };
    for (const mark of [{}, { "x-bailiwick": "0" }, { "x-bailiwick": "" }] as Record<string, string>[]) {
      const said = await post("/v1/tools/call", { ...cookie, ...mark }, body);
      expect(said).toMatchObject({
        status: 403,
        json: { error: "bad_origin", remedy: expect.stringContaining("X-Bailiwick: 1") },
      });
    }
    expect((await knock(door.origin, { method: "DELETE", path: "/v1/keys/laptop", headers: cookie })).status).toBe(403);
    expect(door.calls).toEqual([]);
    expect(door.asked).toEqual(["login by person:owner"]);
    expect((await post("/v1/tools/call", { ...cookie, ...MARK }, body)).status).toBe(200);
    expect(door.calls[0]).toMatchObject({ door: "rest", presented: { kind: "bearer", token: OWNER } });
  });

  it("ends with its key, at once", async () => {
    await open();
    const cookie = await enter(OTHER);
    expect((await get("/v1/tools", cookie)).status).toBe(200);
    const other = door.principals.get(OTHER)!;
    door.principals.set(OTHER, { ...other, permissions: ["new"] });
    expect((await get("/v1/auth/session", cookie)).json.permissions).toEqual(["new"]);
    door.principals.delete(OTHER);
    expect((await get("/v1/tools", cookie)).status).toBe(401);
  });

  it("ends at log-out, with its streams at once, and the browser is told to forget it", async () => {
    await open();
    const [cookie, another] = [await enter(), await enter()];
    const stream = openStream(door.origin, { method: "GET", path: "/v1/events", headers: cookie });
    expect(await stream.status).toBe(200);
    await vi.waitFor(() => expect(door.events.followers()).toBe(1));
    expect((await post("/v1/auth/logout", cookie)).status).toBe(403);
    const said = await post("/v1/auth/logout", { ...cookie, ...MARK });
    expect(said).toMatchObject({ status: 200, json: { ended: true } });
    expect(said.headers["set-cookie"]?.[0]).toMatch(/^bw_session=; .*Max-Age=0$/);
    await stream.ended;
    expect(door.asked).toEqual(["login by person:owner", "login by person:owner", "logout by person:owner"]);
    const after = await get("/v1/tools", cookie);
    expect(after).toMatchObject({ status: 401, json: { remedy: expect.stringContaining("/v1/auth/login") } });
    expect(after.headers["set-cookie"]?.[0]).toContain("Max-Age=0");
    expect((await get("/v1/health", cookie)).json).toEqual({ status: "ok" });
    expect((await get("/v1/tools", another)).status).toBe(200);
  });

  it("ends at log-out with the runs that were begun with it, heard or not, and with no others", async () => {
    await open();
    const [cookie, other] = [await enter(), await enter()];
    const read = (path: string, body?: object, headers = cookie): Promise<ChatReader> =>
      readChat(door.origin, {
        method: body === undefined ? "GET" : "POST",
        path,
        headers: { ...headers, ...MARK },
        ...(body && { body }),
      });
    const { chats } = door.governance;
    const left = await read("/v1/chat/stream", { message: "go" });
    await left.until("chat.start");
    left.leave();
    const heard = await read("/v1/chat/stream", { message: "go" });
    await heard.until("chat.start");
    const others = await read("/v1/chat/stream", { message: "go" }, other);
    await others.until("chat.start");
    const again = await read("/v1/runs/run_3/events");
    await again.until("chat.start");
    await post("/v1/auth/logout", { ...cookie, ...MARK });
    await Promise.all([heard.ended, again.ended]);
    for (const { events } of [heard, again]) {
      expect(events.filter(({ event }) => event === "error" || event === "done")).toMatchObject([
        { event: "error", data: { error: "unauthenticated" } },
      ]);
    }
    await expect(chats.runs[0]?.result).rejects.toMatchObject({ kind: "cancelled" });
    await expect(chats.runs[1]?.result).rejects.toMatchObject({ kind: "cancelled" });
    chats.runs[2]?.finish("Good.");
    await others.ended;
    expect(others.events.at(-1)).toMatchObject({ event: "done" });
  });

  it("does not outlive the host", async () => {
    await open();
    const cookie = await enter();
    await door.listener.close();
    await open();
    expect((await get("/v1/tools", cookie)).status).toBe(401);
  });

  it("is not taken where there are two, or where it is odd", async () => {
    await open();
    const { cookie } = await enter();
    const other = await enter(OTHER);
    for (const odd of [`${cookie}; ${other.cookie}`, "bw_session=", "bw_session=a b", `x${cookie}`, "bw_session"]) {
      expect([odd, (await get("/v1/tools", { cookie: odd })).status]).toEqual([odd, 401]);
    }
    expect((await get("/v1/tools", { cookie: `a=b; ${cookie}; c=d` })).status).toBe(200);
  });

  it("gives way to a key that is sent along", async () => {
    await open();
    const cookie = await enter();
    const said = await get("/v1/auth/session", { ...cookie, authorization: `Bearer ${OTHER}` });
    expect(said.json).toMatchObject({ principal: "person:other", expiresAt: null });
    expect((await get("/v1/tools", { ...cookie, authorization: "Bearer wrong" })).status).toBe(401);
    expect(
      (await post("/v1/tools/call", { ...cookie, authorization: `Bearer ${OTHER}` }, { name: "echo" })).status,
    ).toBe(200);
  });
});

describe("who one is", () => {
  it("is said to whoever has a credential, and to nobody else", async () => {
    await open();
    expect((await get("/v1/auth/session", {})).status).toBe(401);
    expect((await get("/v1/auth/session", { authorization: `Bearer ${OWNER}` })).json).toMatchObject({
      principal: "person:owner",
      expiresAt: null,
    });
    const cookie = await enter();
    expect((await get("/v1/auth/session", cookie)).json.expiresAt).not.toBeNull();
  });
});
