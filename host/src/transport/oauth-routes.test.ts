import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { knock, type Said } from "./client-for-tests.ts";
import { openTestDoor, OTHER, OWNER, type TestDoor } from "./door-for-tests.ts";
import { BROWSER, STATE } from "./oauth-for-tests.ts";

const SCOPED = "scoped-key";
let door: TestDoor;
beforeAll(async () => {
  door = await openTestDoor();
  door.principals.set(SCOPED, { ...door.principals.get(OTHER)!, scopes: ["q__*"] });
});
beforeEach(() => {
  door.asked.length = 0;
  door.rejected.length = 0;
});
afterAll(() => door.listener.close());

const START = "/v1/oauth/start/p";
const FORM = { "content-type": "application/x-www-form-urlencoded" };
// As a browser names the host in the link, so that nothing is to be moved.
const HOST = { host: "127.0.0.1:7420" };
const open = (path: string, headers: Record<string, string> = {}): Promise<Said> =>
  knock(door.origin, { method: "GET", path, headers: { ...HOST, ...headers } });
const send = (fields: Record<string, string>, path = START, headers: Record<string, string> = {}): Promise<Said> =>
  knock(door.origin, { path, headers: { ...HOST, ...FORM, ...headers }, body: new URLSearchParams(fields).toString() });
const cookieOf = (said: Said): string => said.headers["set-cookie"]?.[0]?.split(";")[0] ?? "";

describe("the page on which an account is connected", () => {
  it("says who asks for what, takes a key, and starts nothing by being looked at", async () => {
    const said = await open(`${START}?for=agent:ci`);
    expect(said.status).toBe(200);
    expect(said.headers["content-type"]).toBe("text/html; charset=utf-8");
    expect(said.text).toContain("<code>p</code>");
    expect(said.text).toContain("<code>agent:ci</code>");
    expect(said.text).toContain('type="password"');
    expect(door.asked).toEqual([]);
  });

  it("is framed by nobody, runs nothing and is kept nowhere", async () => {
    const { headers } = await open(START);
    expect(headers["content-security-policy"]).toMatch(/default-src 'none'.*frame-ancestors 'none'/);
    expect(headers["cache-control"]).toBe("no-store");
    expect(headers["referrer-policy"]).toBe("same-origin");
  });

  it("tells the same of a bundle that there is not", async () => {
    const [known, unknown] = [await open(START), await open("/v1/oauth/start/nowhere")];
    expect(unknown.status).toBe(200);
    expect(unknown.text.replaceAll("nowhere", "p")).toBe(known.text);
  });

  it.each(["/v1/oauth/start/", "/v1/oauth/start/P", "/v1/oauth/start/a/b", "/v1/oauth/start/%3Cb%3E", "/v1/oauth/x"])(
    "is nothing at %s",
    async (path) => expect((await open(path, { authorization: `Bearer ${OWNER}` })).status).toBe(404),
  );

  it("shows what a link claims as text", async () => {
    const said = await open(`${START}?for=${encodeURIComponent('"><script>alert(1)</script>')}`);
    expect(said.text).not.toContain("<script>");
    expect(said.text).toContain("&lt;script&gt;");
  });

  it("moves a browser that came by another name of this machine to the one that the way back leads to", async () => {
    const said = await open(`${START}?for=agent:ci`, { host: "localhost:7420" });
    expect([said.status, said.headers.location]).toEqual([302, `http://127.0.0.1:7420${START}?for=agent:ci`]);
  });
});

describe("going on from there", () => {
  it("names the client, the server and every scope, and leads to the authorization server", async () => {
    const said = await send({ key: OWNER, for: "agent:ci" });
    expect(said.status).toBe(200);
    for (const named of [
      "agent:ci",
      "https://up.example/mcp",
      "https://as.example",
      "read",
      "&lt;b&gt;write&lt;/b&gt;",
    ])
      expect(said.text).toContain(`<code>${named}</code>`);
    expect(said.text).toContain(`href="https://as.example/authorize?state=${STATE}&amp;a=&quot;b&quot;"`);
    expect(door.asked).toEqual(["connect p for agent:ci by person:owner"]);
    expect(said.headers["set-cookie"]?.[0]).toMatch(/; Path=\/v1\/oauth\/callback; .*HttpOnly; SameSite=Lax$/);
  });

  it.each([
    ["no key", {}, {}, 401],
    ["a wrong key", { key: "nobody" }, {}, 401],
    ["another's key", { key: OTHER, for: "agent:ci" }, {}, 403],
    ["one's own key, for the workspace", { key: OTHER }, { path: "/v1/oauth/start/q" }, 403],
    ["a key that may not name the bundle", { key: SCOPED }, {}, 404],
    ["one's own key", { key: OTHER }, {}, 200],
    ["one's own key, by name", { key: OTHER, for: "person:other" }, {}, 200],
    ["the owner's key, for the workspace", { key: OWNER }, { path: "/v1/oauth/start/q" }, 200],
    ["the owner's key, where nothing is to connect", { key: OWNER }, { path: "/v1/oauth/start/z" }, 404],
    ["one's own key, for a program that acts for one", { key: OTHER, for: "agent:x for person:other" }, {}, 200],
    ["one's own key, for a program of another", { key: OTHER, for: "agent:x for person:owner" }, {}, 403],
    ["a name that is none", { key: OWNER, for: "a\nb" }, {}, 404],
  ])("with %s", async (_, fields, { path }: { path?: string }, status) => {
    const said = await send(fields, path);
    expect(said.status).toBe(status);
    expect(door.asked).toHaveLength(status === 200 ? 1 : 0);
    expect(door.rejected).toHaveLength(status === 401 ? 1 : 0);
    if (status !== 200) expect(cookieOf(said)).toBe("");
  });

  it("is sent by the page's own form, as browsers name its origin", async () => {
    expect((await send({ key: OWNER }, START, { origin: "http://127.0.0.1:7420" })).status).toBe(200);
  });

  it("takes nothing from another site, no other kind of body and no large one", async () => {
    expect((await send({ key: OWNER }, START, { origin: "https://evil.example" })).status).toBe(403);
    expect((await send({ key: OWNER }, START, { origin: "null" })).status).toBe(403);
    expect((await send({ key: OWNER }, START, { origin: "https://app.example" })).status).toBe(403);
    expect((await send({ key: OWNER }, START, { "content-type": "application/json" })).status).toBe(415);
    expect((await send({ key: "x".repeat(10_000) })).status).toBe(413);
    expect(door.asked).toEqual([]);
  });

  it("asks for no key where the host asks for none", async () => {
    const free = await openTestDoor({ noAuth: true });
    try {
      const page = await knock(free.origin, { method: "GET", path: START, headers: HOST });
      expect(page.text).not.toContain("password");
      const said = await knock(free.origin, { path: START, headers: { ...HOST, ...FORM }, body: "for=agent%3Alocal" });
      expect(said.status).toBe(200);
      expect(free.asked).toEqual(["connect p for agent:local by person:local"]);
    } finally {
      await free.listener.close();
    }
  });
});

describe("the way back", () => {
  const CALLBACK = `/v1/oauth/callback?state=${STATE}&code=c&iss=i`;

  it("ends in the browser that set out, with code, state and iss handed on", async () => {
    const cookie = cookieOf(await send({ key: OWNER }));
    const said = await open(CALLBACK, { cookie: `other=1; ${cookie}` });
    expect([said.status, said.text]).toEqual([200, expect.stringContaining("Connected")]);
    expect(door.asked.at(-1)).toBe(`finish ${STATE} c i in ${BROWSER}`);
  });

  it("does not end in another browser", async () => {
    await send({ key: OWNER });
    const said = await open(CALLBACK);
    expect([said.status, said.text]).toEqual([400, expect.stringContaining("Begin anew.")]);
    expect(door.asked.at(-1)).toBe(`finish ${STATE} c i in null`);
  });

  it("says who this host is to authorization servers that want to know", async () => {
    expect((await open("/v1/oauth/client.json")).json).toEqual({
      client_id: "http://127.0.0.1:7420/v1/oauth/client.json",
    });
  });
});

describe("a link that names a workspace", () => {
  beforeEach(() => {
    door.workspaces.members.clear();
    door.workspaces.opened.length = 0;
  });

  it("connects the account there, for a member", async () => {
    door.workspaces.members.set("ws_sales", ["person:other"]);
    expect((await open(`${START}?workspace=ws_sales`)).text).toContain('name="workspace" value="ws_sales"');
    expect((await open(`${START}?workspace=../x`)).text).not.toContain('name="workspace"');
    expect((await send({ key: OTHER, workspace: "ws_sales" })).status).toBe(200);
    expect(door.asked).toEqual(["connect p for person:other by person:other in ws_sales"]);
    expect(door.workspaces.opened).toEqual(["ws_sales"]);
  });

  it("tells others the same as if there were none", async () => {
    const unknown = await send({ key: OTHER, workspace: "ws_sales" });
    door.workspaces.members.set("ws_sales", ["person:owner"]);
    const hidden = await send({ key: OTHER, workspace: "ws_sales" });
    expect(hidden.status).toBe(404);
    expect(hidden.text).toBe(unknown.text);
    expect((await send({ key: "nobody", workspace: "ws_sales" })).status).toBe(401);
    expect(door.asked).toEqual([]);
  });
});
