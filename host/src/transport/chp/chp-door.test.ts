import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { ApprovalRecord } from "../../kernel/approvals.ts";
import { knock, type Knock } from "../client-for-tests.ts";
import { OTHER, OWNER } from "../door-for-tests.ts";
import { CHP_HEADERS, openChpDoor, type ChpTestDoor } from "./chp-door-for-tests.ts";

let door: ChpTestDoor;
beforeAll(async () => {
  door = await openChpDoor();
});
afterAll(() => door.listener.close());

const NONE = {};
const codeOf = (json: { error?: { code?: unknown } } | null): unknown => json?.error?.code;
const post = (body: string | object): Knock => ({ method: "POST", body });

/** Every address that takes a credential. */
const CLOSED: readonly (readonly [method: string, path: string])[] = [
  ["GET", "/host"],
  ["GET", "/capabilities"],
  ["POST", "/invoke"],
  ["POST", "/explain"],
  ["GET", "/replay/corr_known"],
  ["POST", "/replay"],
  ["GET", "/verify/corr_known"],
  ["GET", "/export/corr_known"],
  ["GET", "/head"],
  ["GET", "/head/inclusion/corr_known"],
  ["GET", "/head/consistency?first=0&second=1"],
  ["GET", "/head/checkpoints"],
  ["POST", "/witness"],
  ["GET", "/witnesses"],
  ["POST", "/anchors"],
  ["GET", "/anchors"],
  ["GET", "/revocations"],
  ["POST", "/revocations"],
  ["GET", "/approvals/apr_1"],
  ["GET", "/metrics"],
  ["GET", "/capabilities.txt"],
  ["GET", "/.well-known/capabilities.json"],
  ["GET", "/capabilities.json"],
];

describe("who is let in", () => {
  it.each(CLOSED)("%s %s says 401 to whoever shows nothing, or something wrong", async (method, path) => {
    for (const headers of [NONE, { "x-chp-key": "wrong:key" }, { authorization: "Bearer nobody" }]) {
      const said = await door.ask(path, { method, headers });
      expect(said.status).toBe(401);
      expect(codeOf(said.json)).toBe("unauthorized");
      expect(said.headers["www-authenticate"]).toBe("Bearer");
    }
  });

  it.each([
    ["a CHP key", { "x-chp-key": OWNER }],
    ["a CHP token", { "x-chp-token": OWNER }],
    ["an API key", { authorization: `Bearer ${OWNER}` }],
  ])("takes %s", async (_, headers) => {
    expect((await door.ask("/host", { headers })).status).toBe(200);
  });

  it("tells a bearer that is a CHP token from a key and from an issuer's token", async () => {
    const shown: string[] = [];
    const identify = Object.assign((presented: { kind: string }) => (shown.push(presented.kind), null), {
      knows: () => false,
    });
    const other = await openChpDoor({ deps: { identify } });
    const token = Buffer.from('{"kind":"auth-token"}').toString("base64");
    for (const bearer of [token, '{"kind":"auth-token"}', "eyJhbGciOiJFZERTQSJ9.e30.sig", "bw_key"]) {
      await other.ask("/host", { headers: { authorization: `Bearer ${bearer}` } });
    }
    await other.listener.close();
    expect(shown).toEqual(["chp-token", "chp-token", "bearer", "bearer"]);
  });

  it.each(["0.3", "1", "", "0.2, 0.1"])("does not speak version %j, and says which it does", async (version) => {
    for (const path of ["/health", "/host", "/nowhere"]) {
      const said = await door.ask(path, { headers: { ...CHP_HEADERS, "x-chp-version": version } });
      expect(said.status).toBe(400);
      expect(said.json).toMatchObject({
        error: { code: "version_unsupported" },
        denial: {
          code: "version_unsupported",
          retryable: false,
          details: { requested: version, supported: ["0.1", "0.2"] },
        },
      });
    }
  });

  it.each(["0.1", "0.2"])("speaks version %s", async (version) => {
    expect((await door.ask("/host", { headers: { ...CHP_HEADERS, "x-chp-version": version } })).status).toBe(200);
  });

  it.each([
    [{ host: "evil.example" }, 421, "bad_host"],
    [{ origin: "https://evil.example" }, 403, "bad_origin"],
    [{ origin: "https://app.example" }, 403, "bad_origin"],
  ])("says no to %j", async (headers, status, code) => {
    const said = await door.ask("/health", { headers: headers });
    expect([said.status, codeOf(said.json)]).toEqual([status, code]);
  });
});

describe("the addresses", () => {
  it.each(["/health", "", "/"])("GET %j is health, for anybody, without counts", async (path) => {
    const said = await door.ask(path, { headers: NONE });
    expect(said.json).toEqual({
      status: "ok",
      host_id: "h",
      protocol: "chp",
      version: "0.2",
      host_version: "1.2.3",
    });
  });

  it("the identity is for anybody, at the mount and at the root", async () => {
    const [here, root] = [
      await door.ask("/.well-known/chp-identity", { headers: NONE }),
      await knock(door.origin, { method: "GET", path: "/.well-known/chp-identity", headers: NONE }),
    ];
    expect(here.json).toMatchObject({ assurance: "signed" });
    expect(root.json).toEqual(here.json);
  });

  it("the manifest names the host first and only what the caller sees", async () => {
    const { json } = await door.ask("/host");
    expect(json).toMatchObject({
      id: "h",
      version: "1.2.3",
      protocol_version: "0.2",
      supported_versions: ["0.1", "0.2"],
      kind: "service",
      host_version: "1.2.3",
      evidence: { store: "local-append-only", append_only: true },
    });
    const scoped = { ...door.principals.get(OTHER), scopes: ["p__other"] };
    door.principals.set("narrow", scoped as never);
    const narrow = await door.ask("/capabilities", { headers: { "x-chp-key": "narrow" } });
    expect(narrow.json.capabilities.map(({ id }: { id: string }) => id)).toEqual(["p__other"]);
  });

  it.each(["GET", "POST"])("%s of replay, and of a correlation that nobody may see", async (method) => {
    const query = method === "GET" ? "?limit=5&since_sequence=0&include_payloads=false" : "";
    const ask = (id: string, headers = CHP_HEADERS) =>
      method === "GET"
        ? door.ask(`/replay/${encodeURIComponent(id)}${query}`, { headers })
        : door.ask("/replay", { method, headers, body: { correlation_id: id, limit: 5, since_sequence: null } });
    expect((await ask("corr_known")).json).toMatchObject({ correlation_id: "corr_known", event_count: 1 });
    expect((await ask("a/b ?")).json).toMatchObject({ correlation_id: "a/b ?", event_count: 0, events: [] });
    expect((await ask("corr_known", { ...CHP_HEADERS, "x-chp-key": OTHER })).json).toMatchObject({ event_count: 0 });
  });

  it.each([
    ["/verify/corr_known", { valid: true, event_count: 1 }],
    ["/verify/nobody", { valid: true, event_count: 0 }],
    ["/export/corr_known", { correlation_id: "corr_known" }],
    ["/head", { scheme: "chp-store-head-v1", sequence: 1 }],
    ["/head?scheme=chp-store-head-v2", { scheme: "chp-store-head-v2" }],
    ["/head/inclusion/corr_known", { sequence: 1 }],
    ["/head/consistency?first=0&second=1", { first: 0, second: 1 }],
    ["/head/checkpoints", { checkpoints: [] }],
    ["/head/checkpoints?from=3", { checkpoints: [] }],
    ["/witnesses", { witnesses: [] }],
    ["/anchors", { anchors: [] }],
    ["/revocations", { keys: [], mandates: [] }],
  ])("GET %s is %j", async (path, expected) => {
    const said = await door.ask(path);
    expect([said.status, said.headers["content-type"]]).toEqual([200, "application/json"]);
    expect(said.json).toMatchObject(expected);
  });

  it.each([
    ["GET", "/nowhere", 404, "not_found"],
    ["GET", "/replay/", 404, "not_found"],
    ["GET", "/replay", 405, "method_not_allowed"],
    ["GET", "/invoke", 405, "method_not_allowed"],
    ["DELETE", "/host", 405, "method_not_allowed"],
    ["PUT", "/invoke", 405, "method_not_allowed"],
    ["POST", "/health", 405, "method_not_allowed"],
    ["POST", "/", 405, "method_not_allowed"],
    ["POST", "/.well-known/chp-identity", 405, "method_not_allowed"],
    ["GET", "/replay/%ff", 400, "bad_request"],
    ["GET", `/replay/${"x".repeat(257)}`, 400, "bad_request"],
    ["GET", "/replay/a%0Ab", 400, "bad_request"],
    ["GET", "/replay/a?limit=0", 400, "bad_request"],
    ["GET", "/replay/a?limit=10001", 400, "bad_request"],
    ["GET", "/replay/a?since_sequence=-1", 400, "bad_request"],
    ["GET", "/replay/a?include_payloads=perhaps", 400, "bad_request"],
    ["GET", "/export/a?include_payloads=perhaps", 400, "bad_request"],
    ["GET", "/head?scheme=x", 400, "bad_request"],
    ["GET", "/head/inclusion/nobody", 404, "not_found"],
    ["GET", "/head/consistency", 400, "bad_request"],
    ["GET", "/head/consistency?first=1&second=0", 400, "bad_request"],
    ["GET", "/head/consistency?first=0&second=99", 400, "bad_request"],
    ["GET", "/head/consistency?first=-1&second=x", 400, "bad_request"],
    ["GET", "/head/checkpoints?from=-3", 400, "bad_request"],
    ["GET", "/approvals/apr_none", 404, "not_found"],
  ])("%s %s is %i %s", async (method, path, status, code) => {
    const said = await door.ask(path, { method });
    expect([said.status, codeOf(said.json)]).toEqual([status, code]);
  });

  it.each([
    ["/witness", "invalid_witness", { accepted: true, sequence: 1 }],
    ["/anchors", "invalid_anchor", { accepted: true, anchor_did: "did:key:z" }],
    ["/revocations", "invalid_revocation", { accepted: true, mandate_id: "mdt_1" }],
  ])("POST %s takes what verifies and nothing else", async (path, code, accepted) => {
    expect((await door.ask(path, post({ ok: true }))).json).toMatchObject(accepted);
    const bad = await door.ask(path, post({}));
    expect([bad.status, codeOf(bad.json)]).toEqual([400, code]);
    const conflict = await door.ask(path, post({ sequence: 99 }));
    expect([conflict.status, codeOf(conflict.json)]).toEqual([409, "head_mismatch"]);
    expect(codeOf((await door.ask(path, post("[]"))).json)).toBe("bad_request");
  });

  it("explains a call, for somebody else only to those who may ask that", async () => {
    const body = { capability_id: "p__echo", payload: {} };
    expect((await door.ask("/explain", post(body))).json).toMatchObject({ tool: "p__echo", verdict: "run" });
    const as = { ...body, as: "agent://planner" };
    expect((await door.ask("/explain", post(as))).json).toMatchObject({ principal: "agent://planner" });
    const said = await door.ask("/explain", { ...post(as), headers: { ...CHP_HEADERS, "x-chp-key": OTHER } });
    expect([said.status, codeOf(said.json)]).toEqual([403, "permission_missing"]);
    expect((await door.ask("/explain", post({ ...body, as: 1 }))).status).toBe(400);
    expect((await door.ask("/explain", post({}))).status).toBe(400);
  });

  it("shows an approval's grant to the one who asked for it, and only the state to others", async () => {
    const grant = { kind: "approval-grant" };
    door.governance.queue.set("apr_1", {
      ...PENDING,
      state: "granted",
      decisions: [{ by: "person:owner", decision: "approve", at: PENDING.created_at, grant }],
    });
    const theirs = await door.ask("/approvals/apr_1", { headers: { "x-chp-key": OTHER } });
    expect(theirs.json).toMatchObject({ approval_id: "apr_1", state: "granted", digest: "sha256:0", grant });
    const ours = await door.ask("/approvals/apr_1");
    expect(ours.json).toMatchObject({ state: "granted" });
    expect(ours.json).not.toHaveProperty("grant");
    expect(theirs.text).not.toContain("secret");
  });
});

const PENDING: ApprovalRecord = {
  id: "apr_1",
  state: "pending",
  digest: "sha256:0",
  invocation_id: "inv_1",
  correlation_id: "corr_1",
  capability: { id: "p.echo", version: "1.0.0", definition: null },
  tool: "p__echo",
  arguments: { password: "secret" },
  requested_by: "person:other",
  workspace: "ws_default",
  door: "chp",
  rule: "r",
  risk_tier: "high",
  required: { count: 1, approvers: [], four_eyes: false },
  decisions: [],
  created_at: "2026-01-02T03:04:05.678Z",
  expires_at: "2026-01-02T04:04:05.678Z",
};
