import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Answer, HandleCall } from "../kernel/call.ts";
import { rawJson } from "../kernel/raw-json.ts";
import { Refusal } from "../kernel/refusal.ts";
import { JSON_HEADERS, knock, type Said } from "./client-for-tests.ts";
import { openTestDoor, OTHER, OWNER, type TestDoor } from "./door-for-tests.ts";

const ID = `apr_${"0".repeat(32)}`;

const handleCall: HandleCall = ({ name, verified }) => {
  const principal = verified?.principal ?? null;
  const base = { principal, evidenceId: "evt_1", tool: name };
  if (name !== "pay" && !name.startsWith("files")) {
    const ending: Answer["ending"] = { kind: "result", json: rawJson('{"content":[]}'), isError: false };
    return Promise.resolve({
      ...base,
      ending,
      outcome: "success",
      ...(name === "again" && { replayed: true as const }),
    });
  }
  const details = { approval_id: ID, digest: "sha256:0", expires_at: "2026-01-02T03:04:05.678Z" };
  const refusal = new Refusal("approval_pending", { message: "It waits.", next: "Wait too.", details });
  return Promise.resolve({ ...base, ending: { kind: "refusal", refusal, stage: 8 }, outcome: "denied" });
};

let door: TestDoor;
beforeAll(async () => {
  door = await openTestDoor({ handleCall });
  const owner = door.principals.get(OWNER)!;
  door.principals.set("reader", { ...owner, id: "person:reader", permissions: ["policy:*"] });
});
afterAll(() => door.listener.close());

const post = (path: string, body?: object, headers: Record<string, string> = {}): Promise<Said> =>
  knock(door.origin, { path, headers: { ...JSON_HEADERS, ...headers }, ...(body && { body }) });
const as = (key: string) => ({ authorization: `Bearer ${key}` });

describe("a call over REST", () => {
  it("that waits for a person says for what, until when and where", async () => {
    const said = await post("/v1/tools/call", { name: "pay" });
    expect(said.status).toBe(202);
    expect(said.headers.location).toBe(`/v1/approvals/${ID}`);
    expect(said.json).toEqual({
      approvalId: ID,
      digest: "sha256:0",
      expiresAt: "2026-01-02T03:04:05.678Z",
      error: "approval_pending",
      message: "It waits.",
      remedy: "Wait too.",
      data: { kind: "approval_pending" },
    });
  });

  it("says the same where it is a file that waits", async () => {
    const said = await knock(door.origin, { method: "GET", path: "/v1/files/f_1" });
    expect(said).toMatchObject({ status: 202, json: { approvalId: ID }, headers: { location: `/v1/approvals/${ID}` } });
  });

  it("waits for a decision only as long as the caller asks it to", async () => {
    await post("/v1/tools/call", { name: "x" }, { prefer: "wait=20" });
    expect(door.calls.at(-1)?.approvalWaitMs).toBe(20_000);
    await post("/v1/tools/call", { name: "x" });
    expect(door.calls.at(-1)?.approvalWaitMs).toBe(0);
  });

  it("carries the key by which a repetition is known, and says when it is one", async () => {
    const first = await post("/v1/tools/call", { name: "x", idempotencyKey: "k 1" });
    expect(door.calls.at(-1)?.envelope?.onceKey).toBe("k 1");
    expect(first.headers["idempotency-replayed"]).toBeUndefined();
    const again = await post("/v1/tools/call", { name: "again", idempotencyKey: "k 1" });
    expect(again.headers["idempotency-replayed"]).toBe("true");
    await post("/v1/tools/call", { name: "x" });
    expect(door.calls.at(-1)?.envelope?.onceKey).toBeNull();
  });
});

describe("explain", () => {
  it("says what would happen, and calls nothing", async () => {
    const before = door.calls.length;
    const said = await post("/v1/tools/explain", { name: "pay", arguments: { amount: 1 } });
    expect(said.json).toMatchObject({ tool: "pay", principal: "person:owner", verdict: "run" });
    expect(door.calls.length).toBe(before);
  });

  it("says it about somebody else only to those who may read the policy", async () => {
    const body = { name: "pay", as: "agent:planner" };
    expect((await post("/v1/tools/explain", body, as("reader"))).json.principal).toBe("agent:planner");
    const said = await post("/v1/tools/explain", body, as(OTHER));
    expect(said).toMatchObject({ status: 403, json: { error: "permission_missing" } });
    expect(said.json.remedy).toContain("--permission policy:read");
    expect((await post("/v1/tools/explain", { name: "pay" }, as(OTHER))).status).toBe(200);
  });

  it.each([[{}], [{ name: "a", as: 1 }], [{ name: "a", as: "" }], [{ name: "a", arguments: [] }]])(
    "%j is a bad request",
    async (body) => {
      expect((await post("/v1/tools/explain", body)).status).toBe(400);
    },
  );
});

describe("the policy", () => {
  it("is shown to those who may read it", async () => {
    const ask = (key: string) => knock(door.origin, { method: "GET", path: "/v1/policy", headers: as(key) });
    expect((await ask("reader")).json).toEqual({ mode: "enforce", digest: "sha256:0", rules: [], diagnostics: [] });
    expect(await ask(OTHER)).toMatchObject({ status: 403, json: { error: "permission_missing" } });
  });
});

describe("the host's signing key", () => {
  it("is listed, rotated and revoked by those who manage keys", async () => {
    const listed = await knock(door.origin, { method: "GET", path: "/v1/host-key" });
    expect(listed.json.keys).toMatchObject([{ key_id: "0".repeat(16), state: "current" }]);
    expect((await post("/v1/host-key/rotate")).json.key.key_id).toBe("1".repeat(16));
    const revoked = await post("/v1/host-key/revoke", { keyId: "a".repeat(16), reason: "lost" });
    expect(revoked.json.key).toMatchObject({ key_id: "a".repeat(16), state: "revoked", reason: "lost" });
  });

  it.each([[{}], [{ keyId: "x", reason: "r" }], [{ keyId: "a".repeat(16) }], [{ keyId: "a".repeat(16), reason: " " }]])(
    "%j revokes none",
    async (body) => {
      expect((await post("/v1/host-key/revoke", body)).status).toBe(400);
    },
  );

  it("is nobody else's business", async () => {
    for (const path of ["rotate", "revoke"]) {
      const said = await post(`/v1/host-key/${path}`, { keyId: "a".repeat(16), reason: "r" }, as("reader"));
      expect(said).toMatchObject({ status: 403, json: { error: "permission_missing" } });
    }
  });
});

describe("evidence that is to go", () => {
  const REASON = { reason: "asked to" };

  it("goes when a person asks for it who may, by its number or its id", async () => {
    const purged = await post("/v1/evidence/purge", { correlation: "corr_1", ...REASON });
    expect(purged).toMatchObject({ status: 200, json: { correlation: "corr_1", events: 2 } });
    for (const event of [7, "7"]) {
      expect((await post("/v1/evidence/redact", { event, ...REASON })).json).toMatchObject({ sequence: 7 });
    }
  });

  it.each([
    ["purge", {}],
    ["purge", { correlation: "corr_1" }],
    ["purge", { correlation: " ", ...REASON }],
    ["purge", { correlation: "c".repeat(257), ...REASON }],
    ["purge", { correlation: ["corr_1"], ...REASON }],
    ["purge", { correlation: "corr_1", reason: "r".repeat(501) }],
    ["purge", { correlation: "corr_1", event: 7, ...REASON }],
    ["redact", { event: 1.5, ...REASON }],
    ["redact", { event: 7 }],
    ["redact", { event: 7, all: true, ...REASON }],
  ])("%s %j is a bad request", async (route, body) => {
    expect(await post(`/v1/evidence/${route}`, body)).toMatchObject({ status: 400, json: { error: "bad_request" } });
  });

  it("stays when anybody else asks, who is told whom to ask", async () => {
    door.principals.set("program", { ...door.principals.get(OWNER)!, id: "agent:program", kind: "agent" });
    const body = { correlation: "corr_1", event: 7, ...REASON };
    for (const route of ["purge", "redact"]) {
      const said = await post(`/v1/evidence/${route}`, body, as("reader"));
      expect(said).toMatchObject({ status: 403, json: { error: "permission_missing" } });
      const program = await post(`/v1/evidence/${route}`, body, as("program"));
      expect(program).toMatchObject({ status: 403, json: { error: "escalation_required" } });
      expect(program.json.remedy).toContain(`bailiwick evidence ${route}`);
    }
  });
});
