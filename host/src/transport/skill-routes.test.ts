import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { knock, type Said } from "./client-for-tests.ts";
import { openTestDoor, OTHER, OWNER, type TestDoor } from "./door-for-tests.ts";
import { DIGEST } from "./gates-for-tests.ts";
import { WORKSPACE } from "./workspaces-for-tests.ts";

const AGENT = "agent-key";
const SCOPED = "scoped-key";
const NOTHING = "nothing-key";

let door: TestDoor;
beforeAll(async () => {
  door = await openTestDoor();
  const other = door.principals.get(OTHER)!;
  door.principals.set(AGENT, { ...other, id: "agent:ops", kind: "agent", permissions: ["bundles:manage"] });
  door.principals.set(SCOPED, { ...other, scopes: ["p__*", "p__run"] });
  door.principals.set(NOTHING, { ...other, scopes: ["z__*"] });
});
afterAll(() => door.listener.close());

const ask = (method: string, path: string, key = OWNER, body?: object): Promise<Said> =>
  knock(door.origin, {
    method,
    path,
    headers: { authorization: `Bearer ${key}`, ...(body && { "content-type": "application/json" }) },
    ...(body && { body }),
  });

const namesAt = async (path: string, key = OWNER): Promise<string[]> =>
  (await ask("GET", path, key)).json.skills.map(({ name }: { name: string }) => name);

describe("skills", () => {
  it("are listed with state, capabilities and what is wrong with them", async () => {
    const [held, guide] = (await ask("GET", "/v1/skills", OTHER)).json.skills;
    expect(held).toMatchObject({
      name: "p",
      kind: "package",
      type: "skill",
      priority: 50,
      dcc: "maya",
      tools: ["p__run", "p__other"],
      available: false,
      reason: "It was changed on disk.",
      state: "held",
      required_capabilities: ["usd"],
      missing_capabilities: ["usd"],
      diagnostics: [{ reason_code: "invalid_tool", tool: "bad" }],
    });
    expect(guide).toMatchObject({ name: "guide", kind: "skill", available: true, allowed_tools: ["p__*"] });
    expect(Object.keys(guide)).not.toContain("reason");
    expect(door.governance.told.at(-1)).toBe(`list ${WORKSPACE}`);
  });

  it("come with what is wrong with their files for those who steer the host, and for nobody else", async () => {
    const warnings = async (key: string) => (await ask("GET", "/v1/skills", key)).json.warnings;
    expect(await warnings(OWNER)).toEqual(["/secret/skills/a.md is skipped: it has no name."]);
    expect(await warnings(OTHER)).toEqual([]);
    expect(await warnings(SCOPED)).toEqual([]);
  });

  it("are cut to those of which nothing is missing, and to those of one application", async () => {
    expect(await namesAt("/v1/skills")).toEqual(["p", "guide"]);
    expect(await namesAt("/v1/skills?satisfied=true")).toEqual(["guide"]);
    expect(await namesAt("/v1/skills?dcc=maya")).toEqual(["p"]);
    expect(await namesAt("/v1/skills?satisfied=true&dcc=maya")).toEqual([]);
  });

  it.each(["satisfied=1", "dcc=", `dcc=${"x".repeat(257)}`])("cannot be cut by %s", async (query) => {
    expect(await ask("GET", `/v1/skills?${query}`)).toMatchObject({ status: 400, json: { error: "bad_request" } });
  });

  it("are hidden from a key that may name nothing of them", async () => {
    expect(await namesAt("/v1/skills", SCOPED)).toEqual(["p"]);
    expect(await namesAt("/v1/skills", NOTHING)).toEqual([]);
    for (const path of ["/v1/skills/p", "/v1/skills/unknown"]) {
      expect(await ask("GET", path, NOTHING)).toMatchObject({ status: 404, json: { error: "not_found" } });
    }
    expect((await ask("GET", "/v1/skills", "nobody")).status).toBe(401);
  });
});

describe("one skill", () => {
  it("says to those who steer it what its scripts wrote and want", async () => {
    expect((await ask("GET", "/v1/skills/p", AGENT)).json).toMatchObject({
      digest: DIGEST,
      env: [{ name: "SECRET_OF_P", granted: true }],
      changes: { files: { added: ["secret.py"] } },
      logs: ["secret of p"],
    });
    const said = await ask("GET", "/v1/skills/p", OTHER);
    expect(said.json).toMatchObject({ name: "p", digest: DIGEST, state: "held", available: false });
    expect(said.text.toLowerCase()).not.toContain("secret");
  });

  it("that brings no tools is shown as it is listed", async () => {
    expect((await ask("GET", "/v1/skills/guide", OTHER)).json).toMatchObject({ name: "guide", available: true });
  });
});

describe("a changed package", () => {
  const AT = "/v1/skills/p/accept";

  it("is accepted by a person who has looked at it", async () => {
    const said = await ask("POST", AT, OWNER, { digest: DIGEST });
    expect(said).toMatchObject({ status: 200, json: { name: "p", state: "ready", accepted: DIGEST, available: true } });
    expect(door.governance.told.at(-1)).toBe(`accept p ${DIGEST} by person:owner`);
  });

  it("is accepted by nobody else, which is recorded", async () => {
    const before = door.governance.told.length;
    const agent = await ask("POST", AT, AGENT, { digest: DIGEST });
    expect(agent).toMatchObject({ status: 403, json: { error: "escalation_required" } });
    expect(agent.json.remedy).toBe("Ask a person to run: bailiwick skill accept p");
    expect(await ask("POST", AT, OTHER, { digest: DIGEST })).toMatchObject({
      status: 403,
      json: { error: "permission_missing" },
    });
    expect(door.governance.told).toHaveLength(before);
    expect(door.asked).toEqual([
      "no package_accept: escalation_required by agent:ops",
      "no package_accept: permission_missing by person:other",
    ]);
  });

  it.each([[{}], [{ digest: "latest" }], [{ digest: 1 }], [{ digest: DIGEST, all: true }]])(
    "is not accepted by %j",
    async (body) => {
      expect(await ask("POST", AT, OWNER, body)).toMatchObject({ status: 400, json: { error: "bad_request" } });
    },
  );

  it("of another name is not there", async () => {
    expect(await ask("POST", "/v1/skills/guide/accept", OWNER, { digest: DIGEST })).toMatchObject({ status: 404 });
  });
});
