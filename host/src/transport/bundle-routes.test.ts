import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { JSON_HEADERS, knock, type Said } from "./client-for-tests.ts";
import { openTestDoor, OTHER, OWNER, type TestDoor } from "./door-for-tests.ts";

const MANAGER = "manager-key";
const KEY_MANAGER = "key-manager-key";
const SCOPED = "scoped-key";
const NOTHING = "nothing-key";

let door: TestDoor;
beforeAll(async () => {
  door = await openTestDoor();
  const other = door.principals.get(OTHER)!;
  door.principals.set(MANAGER, { ...other, id: "agent:ops", permissions: ["bundles:manage"] });
  door.principals.set(KEY_MANAGER, { ...other, permissions: ["keys:manage"] });
  door.principals.set(SCOPED, { ...other, scopes: ["q__*"] });
  door.principals.set(NOTHING, { ...other, scopes: ["z__*"] });
});
beforeEach(() => {
  door.asked.length = 0;
});
afterAll(() => door.listener.close());

const ask = (method: string, path: string, key: string | null = OWNER): Promise<Said> =>
  knock(door.origin, { method, path, headers: key === null ? {} : { authorization: `Bearer ${key}` } });

describe("who may steer bundles", () => {
  const STEERING = [
    ["POST", "/v1/apps/p/start"],
    ["POST", "/v1/apps/p/stop"],
    ["POST", "/v1/apps/p/restart"],
    ["GET", "/v1/apps/p/logs"],
  ] as const;

  it.each([
    ["the owner", OWNER, 200],
    ["a key with bundles:manage", MANAGER, 200],
    ["a key with another permission", KEY_MANAGER, 403],
    ["a key without permissions", OTHER, 403],
    ["a wrong key", "nobody", 401],
    ["nobody", null, 401],
  ])("%s: %s", async (_, key, status) => {
    for (const [method, path] of STEERING) {
      const said = await ask(method, path, key);
      expect([path, said.status]).toEqual([path, status]);
      if (status === 200) continue;
      expect(said.headers["www-authenticate"]).toBe("Bearer");
      if (status === 403) expect(said.json.error).toBe("permission_missing");
      if (status === 403) expect(said.json.remedy).toContain("--permission bundles:manage");
    }
    expect(door.asked).toHaveLength(status === 200 ? 3 : 0);
  });

  const namesIn = (said: Said): string[] =>
    (said.json.apps ?? said.json.providers).map(({ name }: { name: string }) => name);

  it.each(["/v1/apps", "/v1/providers"])("%s shows a key what it may name something of", async (path) => {
    for (const key of [OWNER, MANAGER, OTHER]) expect(namesIn(await ask("GET", path, key))).toEqual(["p", "q"]);
    expect(namesIn(await ask("GET", path, SCOPED))).toEqual(["q"]);
    expect(namesIn(await ask("GET", path, NOTHING))).toEqual([]);
    expect((await ask("GET", path, null)).status).toBe(401);
  });

  it.each(["/v1/apps", "/v1/providers"])("%s tells why something failed to those who steer it alone", async (path) => {
    for (const key of [OWNER, MANAGER]) expect((await ask("GET", path, key)).text).toContain("secret of q");
    for (const key of [OTHER, SCOPED, KEY_MANAGER]) expect((await ask("GET", path, key)).text).not.toContain("secret");
  });
});

describe("a bundle", () => {
  it("is started, stopped and restarted in the name of the caller, and answers its state", async () => {
    expect((await ask("POST", "/v1/apps/p/start", MANAGER)).json).toEqual({ name: "p", status: "starting" });
    expect((await ask("POST", "/v1/apps/p/stop")).json).toEqual({ name: "p", status: "stopped" });
    expect((await ask("POST", "/v1/apps/p/restart")).json).toEqual({ name: "p", status: "starting" });
    expect(door.asked).toEqual(["start p by agent:ops", "stop p by person:owner", "restart p by person:owner"]);
    expect((await ask("GET", "/v1/apps/p/logs")).json).toEqual({ lines: ["a line"] });
  });

  it.each([
    ["POST", "/v1/apps/q/start"],
    ["POST", "/v1/apps/q/stop"],
    ["POST", "/v1/apps/q/restart"],
    ["GET", "/v1/apps/q/logs"],
    ["POST", "/v1/apps/*/start"],
  ])("of another name: %s %s is a 404 that knows the nearest", async (method, path) => {
    expect(await ask(method, path)).toMatchObject({
      status: 404,
      json: { error: "not_found", remedy: expect.stringContaining('"p"') },
    });
    expect(door.asked).toEqual([]);
  });

  it.each([
    ["GET", "/v1/apps/p/start"],
    ["POST", "/v1/apps/p/logs"],
    ["POST", "/v1/apps/p/accept"],
    ["POST", "/v1/apps//start"],
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
