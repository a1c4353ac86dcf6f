import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import type { Approvals } from "../kernel/approvals.ts";
import { Refusal } from "../kernel/refusal.ts";
import { approvalOf } from "./approvals-for-tests.ts";
import { JSON_HEADERS, knock, type Said } from "./client-for-tests.ts";
import { openTestDoor, OTHER, OWNER, type TestDoor } from "./door-for-tests.ts";
import { standInGovernance } from "./governance-for-tests.ts";

const AGENT = "agent-key";
const ID = `apr_${"0".repeat(32)}`;
const governance = standInGovernance();

/** The stand-in, and an approval that somebody else has decided. */
const approvals: Approvals = {
  ...governance.approvals,
  decide: (by, id, order) => {
    const record = governance.queue.get(id);
    if (record === undefined || record.state === "pending") return governance.approvals.decide(by, id, order);
    return Promise.reject(new Refusal("stale_surface", { message: "It is decided.", next: "Ask again." }));
  },
  revokeStanding: (by, id) =>
    Promise.resolve({
      id,
      tools: [],
      principal: "agent:a",
      uses: 0,
      expires_at: "",
      granted_by: by.id,
      workspace: "w",
    }),
};

let door: TestDoor;
beforeAll(async () => {
  door = await openTestDoor({ deps: { approvals } });
  const owner = door.principals.get(OWNER)!;
  door.principals.set(AGENT, { ...owner, id: "agent:planner", kind: "agent" });
});
beforeEach(() => {
  governance.queue.clear();
  governance.queue.set(ID, approvalOf(ID));
});
afterAll(() => door.listener.close());

const ask = (method: string, path: string, body?: object | string, key = OWNER): Promise<Said> =>
  knock(door.origin, {
    method,
    path,
    headers: { ...JSON_HEADERS, authorization: `Bearer ${key}` },
    ...(body === undefined ? {} : { body }),
  });

describe("what waits for a person", () => {
  it("is listed newest first, by state, and shown by its id", async () => {
    expect((await ask("GET", "/v1/approvals")).json).toEqual({ approvals: [approvalOf(ID)], nextCursor: null });
    expect((await ask("GET", "/v1/approvals?state=granted")).json).toEqual({ approvals: [], nextCursor: null });
    expect((await ask("GET", `/v1/approvals/${ID}`)).json).toEqual(approvalOf(ID));
  });

  it("comes in pages, which end early when arguments are large", async () => {
    governance.queue.clear();
    for (const id of ["a", "b", "c", "d"]) governance.queue.set(id, approvalOf(id));
    const first = await ask("GET", "/v1/approvals?limit=3");
    expect(first.json.approvals.map(({ id }: { id: string }) => id)).toEqual(["a", "b", "c"]);
    const second = await ask("GET", `/v1/approvals?limit=3&cursor=${first.json.nextCursor}`);
    expect(second.json).toMatchObject({ approvals: [{ id: "d" }], nextCursor: null });
    const text = "x".repeat(3_000_000);
    for (const id of ["a", "b", "c", "d"]) governance.queue.set(id, approvalOf(id, { arguments: { text } }));
    const large = await ask("GET", "/v1/approvals");
    expect(large.json.approvals).toHaveLength(2);
    expect(large.json.nextCursor).toBe("b");
  });

  it.each(["state=open", "limit=0", "limit=201", "limit=x", "cursor=gone"])("?%s is a bad request", async (query) => {
    const said = await ask("GET", `/v1/approvals?${query}`);
    expect(said).toMatchObject({ status: 400, json: { error: "bad_request", remedy: expect.any(String) } });
  });

  it("is not there for who may not see it", async () => {
    expect((await ask("GET", "/v1/approvals", undefined, OTHER)).json.approvals).toEqual([]);
    for (const said of [
      await ask("GET", `/v1/approvals/${ID}`, undefined, OTHER),
      await ask("POST", `/v1/approvals/${ID}`, { decision: "approve" }, OTHER),
      await ask("DELETE", `/v1/approvals/${ID}`, undefined, OTHER),
      await ask("GET", "/v1/approvals/apr_none"),
    ]) {
      expect(said).toMatchObject({ status: 404, json: { error: "not_found" } });
    }
    expect(governance.queue.get(ID)?.state).toBe("pending");
  });
});

describe("a decision", () => {
  it("is taken with its reason", async () => {
    const decide = vi.spyOn(governance.approvals, "decide");
    const said = await ask("POST", `/v1/approvals/${ID}`, { decision: "approve", reason: "fine" });
    expect(said).toMatchObject({ status: 200, json: { id: ID, state: "granted" } });
    expect(decide.mock.lastCall?.[2]).toEqual({ approve: true, reason: "fine" });
    decide.mockRestore();
  });

  it("denies when it says so", async () => {
    expect((await ask("POST", `/v1/approvals/${ID}`, { decision: "deny" })).json.state).toBe("denied");
  });

  it("is taken once", async () => {
    await ask("POST", `/v1/approvals/${ID}`, { decision: "deny" });
    const said = await ask("POST", `/v1/approvals/${ID}`, { decision: "approve" });
    expect(said.status).toBe(409);
    expect(governance.queue.get(ID)?.state).toBe("denied");
  });

  it.each([
    [{}],
    [{ decision: "yes" }],
    [{ decision: true }],
    [{ decision: "approve", reason: 1 }],
    [{ decision: "approve", reason: "x".repeat(2001) }],
    [{ decision: "approve", by: "person:other" }],
    [[]],
  ])("%j is none", async (body) => {
    expect((await ask("POST", `/v1/approvals/${ID}`, body)).status).toBe(400);
    expect(governance.queue.get(ID)?.state).toBe("pending");
  });

  it("is a person's, also where an agent asked and holds every permission", async () => {
    const said = await ask("POST", `/v1/approvals/${ID}`, { decision: "approve" }, AGENT);
    expect(said).toMatchObject({ status: 403, json: { error: "not_visible" } });
    expect(said.json.remedy).toBe(`Ask a person to run: bailiwick approve ${ID} yes`);
    expect(governance.queue.get(ID)?.state).toBe("pending");
    const odd = await ask("POST", "/v1/approvals/apr_%3B%20rm", { decision: "approve" }, AGENT);
    expect(odd.json.remedy).toBe("Ask a person to run: bailiwick approve <id> yes");
  });
});

describe("who asked", () => {
  it("takes it back", async () => {
    expect((await ask("DELETE", `/v1/approvals/${ID}`, undefined, AGENT)).json).toMatchObject({ state: "cancelled" });
  });
});

describe("a standing approval", () => {
  const order = { tools: ["p__*"], principal: "agent:planner", expires_at: "2026-12-01T00:00:00Z" };

  it("is granted, listed and revoked by people", async () => {
    const tests = [{ path: "/amount", op: "<=", value: 100 }];
    const made = await ask("POST", "/v1/standing-approvals", { ...order, arguments: tests, max_uses: 3 });
    expect(made).toMatchObject({ status: 201, json: { id: "sap_1", arguments: tests, max_uses: 3 } });
    expect(made.json.granted_by).toBe("person:owner");
    expect((await ask("GET", "/v1/standing-approvals")).json).toEqual({ standing: [] });
    expect((await ask("DELETE", "/v1/standing-approvals/sap_1")).json).toMatchObject({ id: "sap_1" });
  });

  it("is no agent's to grant or to revoke", async () => {
    expect((await ask("POST", "/v1/standing-approvals", order, AGENT)).status).toBe(403);
    expect((await ask("DELETE", "/v1/standing-approvals/sap_1", undefined, AGENT)).status).toBe(403);
  });

  it.each([
    [{}],
    [{ ...order, tools: [] }],
    [{ ...order, tools: "p__*" }],
    [{ ...order, principal: 1 }],
    [{ ...order, expires_at: "soon" }],
    [{ ...order, max_uses: 0 }],
    [{ ...order, max_uses: 1.5 }],
    [{ ...order, arguments: ["x"] }],
    [{ ...order, granted_by: "person:other" }],
  ])("%j is none", async (body) => {
    expect((await ask("POST", "/v1/standing-approvals", body)).status).toBe(400);
  });
});
