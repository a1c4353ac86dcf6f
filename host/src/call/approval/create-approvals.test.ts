/** One call and its approval, from the question to the use. */
import { readFileSync } from "node:fs";
import { Ajv2020 } from "ajv/dist/2020.js";
import { describe, expect, it } from "vitest";
import { ANN, ask, begin, callOf, demand, MARIA, openWorld, principal, refusalOf } from "./room-for-tests.ts";

const schema = (name: string): object =>
  JSON.parse(readFileSync(new URL(`../../../test/chp-schemas/${name}.schema.json`, import.meta.url), "utf8")) as object;

describe("a call that needs no approval", () => {
  it("passes, and nothing is written", async () => {
    const world = openWorld();
    const call = callOf({ demand: null });
    expect(await world.room.stage(call)).toMatchObject({ approval: null });
    expect(world.events).toEqual([]);
    expect(call.ids).toBeUndefined();
  });
});

describe("a call that needs one", () => {
  it("is refused with the approval, the digest and the exact next step", async () => {
    const world = openWorld();
    const call = callOf({ envelope: { invocationId: "inv_mine", correlationId: "corr_mine" } });
    const refusal = await refusalOf(world.room.stage(call));
    const id = String(refusal.details["approval_id"]);
    expect(id).toMatch(/^apr_[0-9a-f]{32}$/);
    expect(refusal).toMatchObject({
      kind: "approval_pending",
      retryable: true,
      next: expect.stringContaining(`bailiwick approve ${id} yes`),
      details: {
        digest: world.room.digestOf(call),
        expires_at: "2026-11-16T10:00:00.000Z",
        how: { cli: `bailiwick approve ${id} yes`, rest: `POST /v1/approvals/${id}` },
        matched_rule: "r",
      },
    });
    expect(world.events).toMatchObject([
      {
        type: "approval_requested",
        invocationId: "inv_mine",
        correlation: { id: "corr_mine" },
        actionDigest: refusal.details["digest"],
        subject: expect.stringContaining("agent://planner"),
      },
    ]);
  });

  it("joins the approval of the same call, and asks no second time", async () => {
    const world = openWorld();
    const ids = await Promise.all([ask(world), ask(world), ask(world)]);
    expect(new Set([...ids, await ask(world)]).size).toBe(1);
    expect(world.types()).toEqual(["approval_requested"]);
  });

  it("runs once it is granted, once", async () => {
    const world = openWorld();
    const id = await ask(world);
    await world.room.approvals.decide(MARIA, id, { approve: true });
    begin(world, await world.room.stage(callOf()), "inv_7");
    expect(world.types()).toEqual(["approval_requested", "approval_granted", "approval_grant_verified"]);
    expect(world.room.approvals.get(MARIA, id)).toMatchObject({ state: "consumed", consumed_by: "inv_7" });
    expect(await ask(world)).not.toBe(id);
  });

  it("has events and a grant that are valid by their schemas", async () => {
    const world = openWorld();
    const ajv = new Ajv2020({ strict: false, validateFormats: false });
    const isDecision = ajv.compile(schema("approval-decision"));
    const isGrant = ajv.compile(schema("chp-approval-grant"));
    const yes = await ask(world);
    const granted = await world.room.approvals.decide(MARIA, yes, { approve: true, reason: "fine" });
    const no = await ask(world, { args: { job: "other" } });
    await world.room.approvals.decide(MARIA, no, { approve: false, reason: "not now" });
    const decided = world.events.filter(({ type }) => /^approval_(granted|denied)$/.test(type));
    expect(decided.map(({ payload }) => JSON.parse(payload) as unknown)).toEqual([
      { capability_uri: "schedule_technician:1.0.0", decided_by: "person://maria", note: "fine" },
      { capability_uri: "schedule_technician:1.0.0", decided_by: "person://maria", reason: "not now" },
    ]);
    for (const { payload } of decided) expect(isDecision(JSON.parse(payload))).toBe(true);
    expect(isGrant(granted.decisions[0]?.grant)).toBe(true);
  });

  it("is refused with the reason after a no, and nobody is asked again until that has run out", async () => {
    const world = openWorld();
    const id = await ask(world);
    await world.room.approvals.decide(MARIA, id, { approve: false, reason: "too dear" });
    const refusal = await refusalOf(world.room.stage(callOf()));
    expect(refusal).toMatchObject({ kind: "approval_denied", details: { approval_id: id, matched_rule: "r" } });
    expect(refusal.message).toContain("too dear");
    world.now += 3_600_000;
    expect(await ask(world)).not.toBe(id);
  });

  it("asks again when nobody decided in time, and that is recorded", async () => {
    const world = openWorld();
    const id = await ask(world);
    world.now += 3_600_000;
    expect(world.room.approvals.get(MARIA, id)).toMatchObject({ state: "expired" });
    await expect(world.room.approvals.decide(MARIA, id, { approve: true })).rejects.toMatchObject({
      kind: "approval_expired",
    });
    expect(await ask(world)).not.toBe(id);
    expect(world.types()).toEqual(["approval_requested", "dev.bailiwick.approval_expired", "approval_requested"]);
  });

  it("has an hour again for its use, and not longer", async () => {
    const world = openWorld();
    const id = await ask(world);
    world.now += 3_599_000;
    await world.room.approvals.decide(MARIA, id, { approve: true });
    world.now += 3_599_000;
    const passed = await world.room.stage(callOf());
    world.now += 1_000;
    expect(() => begin(world, passed)).toThrow(/expired/);
    expect(await ask(world)).not.toBe(id);
  });

  it("needs two persons where two are demanded, and one no ends it", async () => {
    const world = openWorld();
    const two = { demand: demand({ count: 2 }) };
    const id = await ask(world, two);
    expect(await world.room.approvals.decide(MARIA, id, { approve: true })).toMatchObject({ state: "pending" });
    await expect(world.room.approvals.decide(MARIA, id, { approve: true })).rejects.toMatchObject({
      kind: "not_visible",
    });
    await ask(world, two);
    expect(await world.room.approvals.decide(ANN, id, { approve: true })).toMatchObject({ state: "granted" });
    expect(world.types()).toContain("dev.bailiwick.approval_counted");
    begin(world, await world.room.stage(callOf(two)));
    const next = await ask(world, two);
    await world.room.approvals.decide(MARIA, next, { approve: true });
    expect(await world.room.approvals.decide(ANN, next, { approve: false })).toMatchObject({ state: "denied" });
  });

  it("given under a weaker demand does not do for a stronger one", async () => {
    const world = openWorld();
    await world.room.approvals.decide(ANN, await ask(world), { approve: true });
    expect(await refusalOf(world.room.stage(callOf({ demand: demand({ fourEyes: true }) })))).toMatchObject({
      kind: "approval_pending",
    });
  });

  it("too large for anybody to look at is refused, and nobody is asked", async () => {
    const world = openWorld();
    const refusal = await refusalOf(world.room.stage(callOf({ args: { text: "x".repeat(262_145) } })));
    expect(refusal).toMatchObject({ kind: "too_large", next: expect.stringContaining("file") });
    expect(world.events).toEqual([]);
  });

  it("is turned away after 200 that wait, which are others' no concern", async () => {
    const world = openWorld();
    for (let i = 0; i < 200; i++) await ask(world, { args: { i } });
    expect(await refusalOf(world.room.stage(callOf({ args: { i: 200 } })))).toMatchObject({ kind: "rate_limited" });
    await ask(world, { args: { i: 200 }, by: principal("agent:other") });
    await world.room.approvals.decide(MARIA, await ask(world, { args: { i: 7 } }), { approve: false });
    await ask(world, { args: { i: 200 } });
  });

  it("of confidential data leaves no digest of its arguments in evidence", async () => {
    const world = openWorld();
    const parts = { capability: { classification: "confidential" } };
    const refusal = await refusalOf(world.room.stage(callOf(parts)));
    const id = String(refusal.details["approval_id"]);
    const cleared = { ...MARIA, clearance: "restricted" };
    await world.room.approvals.decide(cleared, id, { approve: true });
    expect(refusal.details["digest"]).toBeNull();
    const digest = world.room.digestOf(callOf(parts));
    expect(JSON.stringify([world.events, refusal])).not.toContain(digest.slice("sha256:".length));
    expect(world.room.approvals.get(MARIA, id)?.arguments).toBeNull();
    expect(world.room.approvals.get(cleared, id)?.arguments).toEqual({ job: "J-17" });
  });
});

describe("a call whose arguments one may not see", () => {
  it("may be refused, and not allowed", async () => {
    const world = openWorld();
    const parts = { capability: { classification: "confidential" } };
    const refusal = await refusalOf(world.room.stage(callOf(parts)));
    const id = String(refusal.details["approval_id"]);
    const yes = world.room.approvals.decide(MARIA, id, { approve: true });
    await expect(yes).rejects.toMatchObject({ kind: "not_visible", next: expect.stringContaining(".clearance") });
    expect(world.room.approvals.get(MARIA, id)).toMatchObject({ state: "pending", decisions: [] });
    await world.room.approvals.decide(MARIA, id, { approve: false });
    expect(world.room.approvals.get(MARIA, id)?.state).toBe("denied");
  });
});

describe("when evidence cannot be written", () => {
  it("nothing is asked, decided or believed", async () => {
    const world = openWorld();
    const id = await ask(world);
    world.writable = false;
    expect(await refusalOf(world.room.stage(callOf({ args: {} })))).toMatchObject({ kind: "evidence_unavailable" });
    await expect(world.room.approvals.decide(MARIA, id, { approve: true })).rejects.toMatchObject({
      kind: "evidence_unavailable",
    });
    expect([...world.room.approvals.list(MARIA)]).toMatchObject([{ id, state: "pending", decisions: [] }]);
    world.writable = true;
    expect(await ask(world, { args: {} })).not.toBe(id);
  });

  it("an approval that was taken for an intent that is not durable is there again", async () => {
    const world = openWorld();
    const id = await ask(world);
    await world.room.approvals.decide(MARIA, id, { approve: true });
    const { approval } = await world.room.stage(callOf());
    const correlation = { id: "c", causationId: null, parentId: null, traceId: null, fresh: false };
    approval?.admission.take({ id: "inv_1", correlation }).release();
    begin(world, await world.room.stage(callOf()), "inv_2");
    expect(world.room.approvals.get(MARIA, id)).toMatchObject({ state: "consumed", consumed_by: "inv_2" });
  });
});

describe("a call that goes on with answers to its server", () => {
  const continues = { kind: "relay", invocationId: "inv_1", round: 1, questions: "", target: "" } as const;

  it("does not need another approval, and cannot begin anew with the old one", async () => {
    const world = openWorld();
    await world.room.approvals.decide(MARIA, await ask(world), { approve: true });
    begin(world, await world.room.stage(callOf()), "inv_1");
    const again = await world.room.stage(callOf({ over: { continues } }));
    expect(() => begin(world, again, "inv_2")).toThrow(/has been used/);
    expect(await ask(world, { args: { job: "other" }, over: { continues } })).toMatch(/^apr_/);
    expect(await ask(world, { over: { continues: { ...continues, invocationId: "inv_9" } } })).toMatch(/^apr_/);
  });
});

it("explain says what the stage would, and touches nothing", async () => {
  const world = openWorld();
  expect(world.room.explain(callOf({ demand: null }))).toMatchObject({ verdict: "run", digest: null });
  expect(world.room.explain(callOf())).toMatchObject({
    verdict: "wait",
    digest: world.room.digestOf(callOf()),
    check: { stage: 8, name: "approval", check: "r", status: "fail", why: "no approval for this digest" },
  });
  expect(world.events).toEqual([]);
  const id = await ask(world);
  expect(world.room.explain(callOf()).check.next).toContain(id);
  await world.room.approvals.decide(MARIA, id, { approve: true });
  expect(world.room.explain(callOf())).toMatchObject({ verdict: "run", check: { status: "pass" } });
  world.now += 3_600_000;
  expect(world.room.explain(callOf())).toMatchObject({ verdict: "wait" });
  expect(world.types()).toEqual(["approval_requested", "approval_granted"]);
});
