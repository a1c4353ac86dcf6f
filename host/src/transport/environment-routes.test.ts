import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Surface, ToolRow } from "../kernel/surface.ts";
import { knock, type Said } from "./client-for-tests.ts";
import { openTestDoor, OTHER, OWNER, type TestDoor } from "./door-for-tests.ts";

const ADMIN = "admin-key";
const SCOPED = "scoped-key";

let door: TestDoor;
beforeAll(async () => {
  door = await openTestDoor();
  const other = door.principals.get(OTHER)!;
  door.principals.set(ADMIN, { ...other, id: "agent:ops", kind: "agent", permissions: ["host:admin"] });
  door.principals.set(SCOPED, { ...other, scopes: ["q__*"] });
});
afterAll(() => door.listener.close());

interface Order {
  readonly key?: string;
  readonly body?: object | string;
}

const ask = (method: string, path: string, { key = OWNER, body }: Order = {}): Promise<Said> =>
  knock(door.origin, {
    method,
    path,
    headers: {
      authorization: `Bearer ${key}`,
      ...(body === undefined ? {} : { "content-type": "application/json" }),
    },
    ...(body === undefined ? {} : { body }),
  });

describe("declared capabilities", () => {
  const AT = "/v1/host/capabilities";

  it("are told to every caller, and what is added for a provider to those who may name it", async () => {
    const all = { declared: ["scene.read"], providers: { p: ["usd"], q: ["viewport"] } };
    for (const key of [OWNER, OTHER]) expect((await ask("GET", AT, { key })).json).toEqual(all);
    expect((await ask("GET", AT, { key: SCOPED })).json.providers).toEqual({ q: ["viewport"] });
    expect((await ask("GET", AT, { key: "nobody" })).status).toBe(401);
  });

  it("are replaced by those who administer the host, in their name", async () => {
    const said = await ask("PUT", AT, { key: ADMIN, body: { declared: ["usd", "filesystem.read"] } });
    expect(said).toMatchObject({
      status: 200,
      json: { before: ["scene.read"], after: ["usd", "filesystem.read"], persisted: true },
    });
    expect(door.governance.told).toEqual(["declare usd,filesystem.read by agent:ops"]);
    await ask("PUT", AT, { body: { declared: ["a"], before: ["usd", "filesystem.read"] } });
    expect(door.governance.told.at(-1)).toBe("declare a by person:owner from usd,filesystem.read");
    expect((await ask("PUT", AT, { body: { declared: [] } })).json.after).toEqual([]);
  });

  it("are replaced by nobody else, which is recorded", async () => {
    const before = door.governance.told.length;
    const said = await ask("PUT", AT, { key: OTHER, body: { declared: ["usd"] } });
    expect(said).toMatchObject({ status: 403, json: { error: "permission_missing" } });
    expect(said.json.message).toBe("person:other may not administer the host.");
    expect(said.json.remedy).toContain("--permission host:admin");
    expect(door.governance.told.slice(before)).toEqual(["no declare: permission_missing by person:other"]);
  });

  it.each([
    ["nothing", {}, '"declared"'],
    ["a text", { declared: "usd" }, '"declared"'],
    ["an empty name", { declared: ["usd", ""] }, "entry 1"],
    ["a number", { declared: [1] }, "entry 0"],
    ["a line break", { declared: ["usd\n"] }, "entry 0"],
    ["an escape", { declared: ["\u009B2J"] }, "entry 0"],
    ["too long a name", { declared: ["x".repeat(257)] }, "entry 0"],
    ["too many", { declared: Array.from({ length: 1_001 }, (_, n) => `c${n}`) }, "1000"],
    ["what was no such list before", { declared: [], before: "usd" }, '"before"'],
    ["another field", { declared: [], providers: {} }, '"providers"'],
    ["what is no object", "[]", "object"],
    ["what is no JSON", "{", "JSON"],
  ])("%s is no list of them, and changes nothing", async (_, body, named) => {
    const before = door.governance.told.length;
    const said = await ask("PUT", AT, { body });
    expect(said).toMatchObject({ status: 400, json: { error: "bad_request", remedy: expect.any(String) } });
    expect(said.json.message).toContain(named);
    expect(door.governance.told).toHaveLength(before);
  });
});

describe("roots", () => {
  it("are listed with where they lie to those who administer the host", async () => {
    expect((await ask("GET", "/v1/roots", { key: ADMIN })).json).toEqual({
      profile: "strict",
      supports_roots: false,
      count: 3,
      roots: [
        { name: "project", uri: "file:///secret/project", usable: true },
        { name: "gone", uri: "file:///secret/gone", usable: false, reason: "/secret/gone is no folder." },
        { name: "two", uri: "file:///secret/two", usable: false, reason: "another root has this name" },
      ],
    });
  });

  it("are listed by their names to others, with reasons that name no place", async () => {
    const said = await ask("GET", "/v1/roots", { key: OTHER });
    expect(said.json.roots).toEqual([
      { name: "project", uri: "workspace://@project/", usable: true },
      { name: "gone", uri: "workspace://@gone/", usable: false },
      { name: "two", uri: "workspace://@two/", usable: false, reason: "another root has this name" },
    ]);
    expect(said.text).not.toContain("secret");
  });

  it("resolve a path for those who administer the host alone", async () => {
    const body = { path: "workspace://a/b" };
    expect((await ask("POST", "/v1/roots/resolve", { body })).json).toEqual({
      path: "workspace://a/b",
      resolved: "/secret/project/a/b",
    });
    const said = await ask("POST", "/v1/roots/resolve", { key: OTHER, body });
    expect(said).toMatchObject({ status: 403, json: { error: "permission_missing" } });
  });

  it("refuse a path with its kind and the next step", async () => {
    const said = await ask("POST", "/v1/roots/resolve", { body: { path: "../x" } });
    expect(said).toMatchObject({ status: 422, json: { error: "path_outside_roots" } });
    expect(said.json.message).toBe('"../x" cannot be resolved: it lies in no root.');
    expect(said.json.remedy).toContain("bailiwick roots list");
    expect(said.text).not.toContain("secret");
  });

  it("show nothing of a fault inside", async () => {
    const said = await ask("POST", "/v1/roots/resolve", { body: { path: "bug" } });
    expect(said).toMatchObject({ status: 500, json: { error: "internal" } });
    expect(said.text).not.toContain("secret");
  });

  it.each([[{}], [{ path: 1 }], [{ path: "a", root: "b" }]])("%j names no path", async (body) => {
    expect(await ask("POST", "/v1/roots/resolve", { body })).toMatchObject({ status: 400 });
  });
});

describe("tools", () => {
  const row = (name: string, required: readonly string[], missing: readonly string[]): ToolRow => ({
    name,
    provider: "p",
    title: null,
    description: null,
    state: "invokable",
    reason: null,
    next: null,
    definition: "sha256:0",
    required,
    missing,
  });
  const rows = [row("p__free", [], []), row("p__met", ["usd"], []), row("p__unmet", ["usd", "x"], ["x"])];

  let tools: TestDoor;
  beforeAll(async () => {
    const surface: Partial<Surface> = {
      token: "s1",
      rows: (query, { satisfied = false } = {}) =>
        rows.filter(({ name, missing }) => name.includes(query ?? "") && (!satisfied || missing.length === 0)),
    };
    tools = await openTestDoor({ deps: { surfaces: { of: () => surface, onChange: () => () => {} } as never } });
  });
  afterAll(() => tools.listener.close());
  const list = (query: string): Promise<Said> =>
    knock(tools.origin, { method: "GET", path: `/v1/tools${query}`, headers: { authorization: `Bearer ${OWNER}` } });

  it("say what they require and what of it is missing, where they require anything", async () => {
    const said = await list("");
    const [free, met, unmet] = said.json.tools;
    expect(Object.keys(free)).not.toContain("required_capabilities");
    expect(met).toMatchObject({ name: "p__met", required_capabilities: ["usd"] });
    expect(Object.keys(met)).not.toContain("missing_capabilities");
    expect(unmet).toMatchObject({ required_capabilities: ["usd", "x"], missing_capabilities: ["x"] });
    expect(Object.keys(unmet)).not.toContain("missing");
  });

  it("are cut to those of which nothing is missing", async () => {
    const names = async (query: string): Promise<string[]> =>
      (await list(query)).json.tools.map(({ name }: { name: string }) => name);
    expect(await names("?satisfied=true")).toEqual(["p__free", "p__met"]);
    expect(await names("?satisfied=false")).toEqual(["p__free", "p__met", "p__unmet"]);
    expect(await list("?satisfied=yes")).toMatchObject({ status: 400, json: { error: "bad_request" } });
  });
});
