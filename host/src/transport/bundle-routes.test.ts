import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { JSON_HEADERS, knock, type Said } from "./client-for-tests.ts";
import { openTestDoor, OTHER, OWNER, type TestDoor } from "./door-for-tests.ts";
import { WORKSPACE } from "./workspaces-for-tests.ts";

const MANAGER = "manager-key";
const KEY_MANAGER = "key-manager-key";
const SCOPED = "scoped-key";
const NOTHING = "nothing-key";
const AGENT = "agent-key";

let door: TestDoor;
beforeAll(async () => {
  door = await openTestDoor();
  const other = door.principals.get(OTHER)!;
  door.principals.set(MANAGER, { ...other, id: "person:ops", kind: "person", permissions: ["bundles:manage"] });
  door.principals.set(AGENT, { ...other, id: "agent:ops", kind: "agent", permissions: ["bundles:manage"] });
  door.principals.set(KEY_MANAGER, { ...other, permissions: ["keys:manage"] });
  door.principals.set(SCOPED, { ...other, scopes: ["q__*"] });
  door.principals.set(NOTHING, { ...other, scopes: ["z__*"] });
});
beforeEach(() => {
  door.asked.length = 0;
});
afterAll(() => door.listener.close());

const ask = (method: string, path: string, key: string | null = OWNER, body?: object | string): Promise<Said> =>
  knock(door.origin, {
    method,
    path,
    headers: {
      ...(key === null ? {} : { authorization: `Bearer ${key}` }),
      ...(body === undefined ? {} : { "content-type": "application/json" }),
    },
    ...(body === undefined ? {} : { body }),
  });

describe("who may steer bundles", () => {
  const STEERING: readonly (readonly [string, string, object?])[] = [
    ["POST", "/v1/apps/p/start"],
    ["POST", "/v1/apps/p/stop"],
    ["POST", "/v1/apps/p/restart"],
    ["GET", "/v1/apps/p/logs"],
    ["POST", "/v1/apps/p/accept", { offered: [] }],
    ["POST", "/v1/apps/p/configure", { values: { k: "v" } }],
    ["DELETE", "/v1/apps/p"],
    ["GET", "/v1/bundles/search?q=x"],
    ["POST", "/v1/reload"],
    ["POST", "/v1/apps/install", { name: "new" }],
  ];

  it.each([
    ["the owner", OWNER, 200],
    ["a key with bundles:manage", MANAGER, 200],
    ["a key with another permission", KEY_MANAGER, 403],
    ["a key without permissions", OTHER, 403],
    ["a wrong key", "nobody", 401],
    ["nobody", null, 401],
  ])("%s: %s", async (_, key, status) => {
    for (const [method, path, body] of STEERING) {
      const said = await ask(method, path, key, body);
      expect([path, said.status]).toEqual([path, status === 200 && path.endsWith("install") ? 201 : status]);
      if (status === 200) continue;
      expect(said.headers["www-authenticate"]).toBe("Bearer");
      if (status === 403) expect(said.json.error).toBe("permission_missing");
      if (status === 403) expect(said.json.remedy).toContain("--permission bundles:manage");
    }
    const done = door.asked.filter((what) => !what.startsWith("no "));
    expect(done).toHaveLength(status === 200 ? STEERING.length - 1 : 0);
    // Each who was known and turned away is recorded.
    expect(door.asked.length - done.length).toBe(status === 403 ? STEERING.length : 0);
  });

  it("what is no person starts and stops, and leaves to people what brings in code or says yes to it", async () => {
    const refused: string[] = [];
    for (const [method, path, body] of STEERING) {
      const said = await ask(method, path, AGENT, body);
      if (said.status < 300) continue;
      expect(said).toMatchObject({ status: 403, json: { error: "escalation_required" } });
      refused.push(said.json.remedy);
    }
    expect(refused).toEqual([
      "Ask a person to run: bailiwick bundle accept p",
      "Ask a person to run: bailiwick bundle configure p",
      "Ask a person to run: bailiwick bundle remove p",
      "Ask a person to run: bailiwick bundle add",
    ]);
    expect(door.asked.filter((what) => what.startsWith("no "))).toEqual(
      ["definitions_accept", "configure", "uninstall", "install"].map(
        (wanted) => `no ${wanted}: escalation_required by agent:ops`,
      ),
    );
  });

  const namesIn = (said: Said): string[] =>
    (said.json.apps ?? said.json.providers).map(({ name }: { name: string }) => name);

  it.each(["/v1/apps", "/v1/providers"])("%s shows a key what it may name something of", async (path) => {
    for (const key of [OWNER, MANAGER, OTHER]) expect(namesIn(await ask("GET", path, key))).toEqual(["p", "q"]);
    expect(namesIn(await ask("GET", path, SCOPED))).toEqual(["q"]);
    expect(namesIn(await ask("GET", path, NOTHING))).toEqual([]);
    expect((await ask("GET", path, null)).status).toBe(401);
  });

  it("of one bundle a key learns what it may, and of others nothing", async () => {
    for (const key of [OWNER, MANAGER]) {
      expect((await ask("GET", "/v1/apps/p", key)).json).toMatchObject({
        dataPath: "/secret of p",
        held: [{ tool: "t" }],
      });
    }
    const quiet = await ask("GET", "/v1/apps/p", OTHER);
    expect(quiet.json).toMatchObject({ name: "p", tools: [{ name: "t", held: "definition_changed" }], held: [] });
    expect(quiet.text).not.toContain("secret");
    for (const path of ["/v1/apps/p", "/v1/apps/nothing"]) {
      const said = await ask("GET", path, SCOPED);
      expect(said).toMatchObject({
        status: 404,
        json: { error: "not_found", remedy: "List those that it may: GET /v1/apps" },
      });
    }
    expect((await ask("GET", "/v1/apps/p", null)).status).toBe(401);
  });

  it.each(["/v1/apps", "/v1/providers"])("%s tells why something failed to those who steer it alone", async (path) => {
    for (const key of [OWNER, MANAGER]) expect((await ask("GET", path, key)).text).toContain("secret of q");
    for (const key of [OTHER, SCOPED, KEY_MANAGER]) expect((await ask("GET", path, key)).text).not.toContain("secret");
    if (path !== "/v1/apps") return;
    const [refused] = (await ask("GET", path, SCOPED)).json.apps;
    expect(refused).toMatchObject({ status: "refused", refusal: { code: "install_refused" } });
  });
});

describe("a bundle", () => {
  it("is started, stopped and restarted in the name of the caller, and answers its state", async () => {
    expect((await ask("POST", "/v1/apps/p/start", MANAGER)).json).toEqual({ name: "p", status: "starting" });
    expect((await ask("POST", "/v1/apps/p/stop")).json).toEqual({ name: "p", status: "stopped" });
    expect((await ask("POST", "/v1/apps/p/restart")).json).toEqual({ name: "p", status: "starting" });
    expect(door.asked).toEqual(["start p by person:ops", "stop p by person:owner", "restart p by person:owner"]);
    expect((await ask("GET", "/v1/apps/p/logs")).json).toEqual({ lines: ["a line"] });
  });

  it.each<[string, string, object?]>([
    ["POST", "/v1/apps/q/start"],
    ["POST", "/v1/apps/q/stop"],
    ["POST", "/v1/apps/q/restart"],
    ["GET", "/v1/apps/q/logs"],
    ["POST", "/v1/apps/*/start"],
    ["GET", "/v1/apps/z"],
    ["POST", "/v1/apps/z/accept", { offered: [] }],
    ["DELETE", "/v1/apps/z"],
  ])("of another name: %s %s is a 404 that knows the nearest", async (method, path, body) => {
    expect(await ask(method, path, OWNER, body)).toMatchObject({
      status: 404,
      json: { error: "not_found", remedy: expect.stringContaining('"p"') },
    });
    expect(door.asked).toEqual([]);
  });

  it.each([
    ["GET", "/v1/apps/p/start"],
    ["POST", "/v1/apps/p/logs"],
    ["POST", "/v1/apps/p/unknown"],
    ["POST", "/v1/apps//start"],
    ["PUT", "/v1/apps/p"],
    ["GET", "/v1/apps/"],
    ["POST", "/v1/apps/p/resources/primary"],
  ])("has no %s %s", async (method, path) => {
    expect(await ask(method, path)).toMatchObject({
      status: 404,
      json: { remedy: expect.stringContaining("/v1/health") },
    });
    expect(door.asked).toEqual([]);
  });

  it.each([
    ["application/json", "{}", 200],
    ["application/json", "", 200],
    ["application/json", "{", 400],
    ["text/plain", "{}", 415],
    ["application/x-www-form-urlencoded", "a=b", 415],
  ])("takes no body; %s %j is answered with %i", async (type, body, status) => {
    const headers = { ...JSON_HEADERS, "content-type": type };
    expect((await knock(door.origin, { path: "/v1/apps/p/stop", headers, body })).status).toBe(status);
    expect(door.asked).toHaveLength(status === 200 ? 1 : 0);
  });
});

describe("what a person orders", () => {
  it("is accepted, configured, uninstalled and reloaded in the name of the caller", async () => {
    const yes = { tools: ["t"], offered: ["sha256:b"] };
    expect((await ask("POST", "/v1/apps/p/accept", OWNER, yes)).json.accepted[0].offered).toBe("sha256:b");
    await ask("POST", "/v1/apps/p/accept", OWNER, { offered: ["sha256:b"] });
    const values = { k: "v", n: 1, b: false, l: ["x"], out: null };
    const configured = await ask("POST", "/v1/apps/p/configure", MANAGER, { values });
    expect(configured.json).toEqual({ name: "p", stored: ["k", "n", "b", "l", "out"], status: "starting" });
    const gone = { name: "p", uninstalled: true, dataPreserved: true, dataPath: "/data/p" };
    expect((await ask("DELETE", "/v1/apps/p")).json).toEqual(gone);
    expect((await ask("POST", "/v1/reload")).json).toMatchObject({ changed: ["p"] });
    await ask("GET", "/v1/bundles/search?q=a%20b&limit=100");
    await ask("GET", "/v1/bundles/search");
    expect(door.asked).toEqual([
      'accept p {"tools":["t"],"offered":["sha256:b"]} by person:owner',
      'accept p {"tools":null,"offered":["sha256:b"]} by person:owner',
      `configure p ${JSON.stringify(values)} by person:ops`,
      "uninstall p by person:owner",
      "reload by person:owner",
      `search a b 100 by ${WORKSPACE}`,
      `search  20 by ${WORKSPACE}`,
    ]);
  });

  it("is refused where a bundle is protected", async () => {
    expect(await ask("DELETE", "/v1/apps/q")).toMatchObject({ status: 403, json: { error: "protected" } });
  });

  it.each([
    ["POST", "/v1/apps/p/accept", { tools: "t" }, '"tools"'],
    ["POST", "/v1/apps/p/accept", { tools: [1] }, '"tools"'],
    ["POST", "/v1/apps/p/accept", { tool: ["t"] }, '"tool"'],
    ["POST", "/v1/apps/p/accept", undefined, '"offered" is missing'],
    ["POST", "/v1/apps/p/accept", { tools: ["t"] }, '"offered" is missing'],
    ["POST", "/v1/apps/p/accept", { offered: "sha256:b" }, '"offered"'],
    ["POST", "/v1/apps/p/accept", { offered: [1] }, '"offered"'],
    ["POST", "/v1/apps/p/configure", {}, '"values"'],
    ["POST", "/v1/apps/p/configure", { values: [] }, '"values"'],
    ["POST", "/v1/apps/p/configure", { values: { deep: {} } }, '"deep"'],
    ["POST", "/v1/apps/p/configure", { values: {}, k: 1 }, '"k"'],
    ["GET", "/v1/bundles/search?limit=0", undefined, '"limit"'],
    ["GET", "/v1/bundles/search?limit=101", undefined, '"limit"'],
    ["GET", "/v1/bundles/search?limit=1e1", undefined, '"limit"'],
    ["GET", `/v1/bundles/search?q=${"x".repeat(201)}`, undefined, '"q"'],
  ])("%s %s %j names what is wrong and reaches nobody", async (method, path, body, field) => {
    const said = await ask(method, path, OWNER, body);
    expect(said).toMatchObject({ status: 400, json: { error: "bad_request", remedy: expect.any(String) } });
    expect(said.json.message).toContain(field);
    expect(door.asked).toEqual([]);
  });
});

describe("a resource of a bundle", () => {
  const read = (path: string, key = OWNER) => ask("GET", path, key);

  it("is read over the call path at that bundle, and is JSON that no browser takes for a page", async () => {
    const said = await read("/v1/apps/p/resources/ui%3A%2F%2Fp%2Fx");
    expect(said).toMatchObject({ status: 200, json: { uri: "a:b", text: "t" } });
    expect(said.headers).toMatchObject({ "content-type": "application/json", "x-content-type-options": "nosniff" });
    expect(door.calls.at(-1)).toMatchObject({ operation: "read", provider: "p", name: "ui://p/x", door: "rest" });
  });

  it("called primary is the bundle's first view", async () => {
    expect((await read("/v1/apps/p/resources/primary")).status).toBe(200);
    expect(door.calls.at(-1)).toMatchObject({ name: "ui://p/main", provider: "p" });
    const calls = door.calls.length;
    expect(await read("/v1/apps/q/resources/primary")).toMatchObject({ status: 404, json: { error: "not_found" } });
    expect(await read("/v1/apps/p/resources/primary", SCOPED)).toMatchObject({ status: 404 });
    expect(door.calls).toHaveLength(calls);
  });

  it("that the server does not have is the server's own error", async () => {
    expect((await read("/v1/apps/p/resources/missing:x")).status).toBe(502);
  });
});
