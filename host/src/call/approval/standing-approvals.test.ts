/** Approvals that a person gives in advance. */
import { describe, expect, it } from "vitest";
import type { NewStandingApproval } from "../../kernel/approvals.ts";
import {
  AGENT,
  ANN,
  ask,
  begin,
  callOf,
  demand,
  MARIA,
  openWorld,
  principal,
  refusalOf,
  type CallParts,
} from "./room-for-tests.ts";

const order = (over: Partial<NewStandingApproval> = {}): NewStandingApproval => ({
  tools: ["dispatch__*"],
  principal: "agent:planner",
  expires_at: "2026-11-17T00:00:00Z",
  ...over,
});

describe("a standing approval", () => {
  it("lets calls run without a question, and each use is recorded and counted", async () => {
    const world = openWorld();
    const { id } = await world.room.approvals.grantStanding(ANN, order({ max_uses: 2 }));
    begin(world, await world.room.stage(callOf()));
    world.restart();
    const [second, third] = [
      await world.room.stage(callOf({ args: {} })),
      await world.room.stage(callOf({ args: { a: 1 } })),
    ];
    begin(world, second);
    expect(() => begin(world, third)).toThrow(expect.objectContaining({ kind: "approval_expired" }));
    await ask(world);
    expect(world.types()).toEqual([
      "dev.bailiwick.standing_approval_granted",
      "dev.bailiwick.standing_approval_used",
      "dev.bailiwick.standing_approval_used",
      "approval_requested",
    ]);
    expect(world.events[1]?.payload).toContain(id);
    expect(world.room.approvals.standing(ANN)).toEqual([]);
  });

  it("is not used up by an intent that could not be written", async () => {
    const world = openWorld();
    await world.room.approvals.grantStanding(ANN, order({ max_uses: 1 }));
    const { approval } = await world.room.stage(callOf());
    const correlation = { id: "c", causationId: null, parentId: null, traceId: null, fresh: false };
    approval?.admission.take({ id: "inv_1", correlation }).release();
    begin(world, await world.room.stage(callOf()));
    expect(world.room.explain(callOf())).toMatchObject({ verdict: "wait" });
  });

  it("is over when it is revoked, by who gave it or by another approver", async () => {
    const world = openWorld();
    const { id } = await world.room.approvals.grantStanding(ANN, order());
    const passed = await world.room.stage(callOf());
    await expect(world.room.approvals.revokeStanding(AGENT, id)).rejects.toMatchObject({ kind: "not_visible" });
    await expect(world.room.approvals.revokeStanding({ ...MARIA, workspace: "ws_b" }, id)).rejects.toMatchObject({
      kind: "not_found",
    });
    await world.room.approvals.revokeStanding(MARIA, id);
    expect(() => begin(world, passed)).toThrow(/revoked/);
    await ask(world);
    world.restart();
    expect(world.room.approvals.standing(ANN)).toEqual([]);
  });

  it("lets a call through that waits already", async () => {
    const world = openWorld();
    const waiting = world.room.stage(callOf({ waitMs: 60_000 }));
    while (world.room.approvals.count(MARIA, "pending") === 0) await new Promise((done) => setImmediate(done));
    const { id } = await world.room.approvals.grantStanding(ANN, order());
    expect((await waiting).approval?.id).toBe(id);
  });

  it("does not undo a no to this very call", async () => {
    const world = openWorld();
    await world.room.approvals.decide(MARIA, await ask(world), { approve: false });
    await world.room.approvals.grantStanding(ANN, order());
    expect(await refusalOf(world.room.stage(callOf()))).toMatchObject({ kind: "approval_denied" });
  });

  const amount = [{ path: "/amount", op: "<=", value: 10 }];
  it.each<readonly [string, Partial<NewStandingApproval>, CallParts]>([
    ["what is critical", {}, { capability: { risk: "critical" } }],
    ["four eyes", {}, { demand: demand({ fourEyes: true }) }],
    ["two persons", {}, { demand: demand({ count: 2 }) }],
    ["approvers whom the granter is none of", {}, { demand: demand({ approvers: [["role:manager"]] }) }],
    ["another tool", { tools: ["billing__*"] }, {}],
    ["another caller", { principal: "agent:other" }, {}],
    ["the same program of another person", { principal: "agent:planner for person:bob" }, {}],
    ["another workspace", {}, { by: { ...AGENT, workspace: "ws_b" } }],
    ["arguments outside its tests", { arguments: amount }, { args: { amount: 11 } }],
    ["arguments that its tests cannot say anything of", { arguments: amount }, { args: {} }],
    ["a time after it", { expires_at: "2026-11-16T09:00:01Z" }, {}],
  ])("does not do for %s", async (_, over, parts) => {
    const world = openWorld();
    await world.room.approvals.grantStanding(ANN, order(over));
    world.now += 1_000;
    expect(await ask(world, parts)).toMatch(/^apr_/);
  });

  it.each<readonly [string, Partial<NewStandingApproval>, CallParts]>([
    ["a caller in either spelling", { principal: "agent://planner" }, {}],
    ["the program of the person that it names", { principal: "agent:planner for person:ann" }, {}],
    ["arguments within its tests", { arguments: amount }, { args: { amount: 10 } }],
  ])("does for %s", async (_, over, parts) => {
    const world = openWorld();
    const { id } = await world.room.approvals.grantStanding(ANN, order(over));
    expect((await world.room.stage(callOf(parts))).approval?.id).toBe(id);
  });

  it.each<readonly [string, Partial<NewStandingApproval>]>([
    ["longer than 30 days", { expires_at: "2026-12-16T09:00:01Z" }],
    ["of the past", { expires_at: "2026-11-16T08:59:59Z" }],
    ["until never", { expires_at: "never" }],
    ["for nothing", { tools: [] }],
    ["for an empty glob", { tools: [""] }],
    ["for oneself", { principal: "person:ann" }],
    ["for oneself as a URI", { principal: "person://ann" }],
    ["for everybody", { principal: "*" }],
    ["for no use", { max_uses: 0 }],
    ["with a test that cannot be read", { arguments: [{ path: "/a", op: "~", value: 1 }] }],
  ])("is not given %s", async (_, over) => {
    const world = openWorld();
    await expect(world.room.approvals.grantStanding(ANN, order(over))).rejects.toMatchObject({ kind: "bad_request" });
    expect(world.events).toEqual([]);
  });

  it("is given by persons alone, and seen by those whom it concerns", async () => {
    const world = openWorld();
    const rich = principal("agent:rich", { permissions: ["*"] });
    await expect(world.room.approvals.grantStanding(rich, order())).rejects.toMatchObject({ kind: "not_visible" });
    const given = await world.room.approvals.grantStanding(ANN, order());
    for (const reader of [ANN, AGENT, MARIA]) expect(world.room.approvals.standing(reader)).toEqual([given]);
    expect(world.room.approvals.standing(principal("person:x"))).toEqual([]);
    expect(world.room.approvals.standing({ ...MARIA, workspace: "ws_b" })).toEqual([]);
  });
});

describe("who approved in advance", () => {
  const dora = principal("person:dora");
  const manager = demand({ approvers: [["role:manager"]] });

  it("is judged by what is configured about it when it is used, also after a restart", async () => {
    const world = openWorld();
    world.facts.set("person:dora", { roles: ["manager"], permissions: ["approvals:decide"] });
    const { id } = await world.room.approvals.grantStanding({ ...dora, ...world.facts.get(dora.id) }, order());
    const passes = async (parts: CallParts): Promise<boolean> =>
      (await world.room.stage(callOf(parts)).catch(() => null))?.approval?.id === id;
    expect([await passes({}), await passes({ demand: manager })]).toEqual([true, true]);
    world.facts.set("person:dora", { roles: [], permissions: ["approvals:decide"] });
    expect([await passes({}), await passes({ demand: manager })]).toEqual([true, false]);
    world.facts.delete("person:dora");
    world.restart();
    expect([await passes({ args: {} }), await passes({ args: {}, demand: manager })]).toEqual([false, false]);
  });

  it("has no say in a workspace that it does not belong to any more", async () => {
    let isMember = true;
    const world = openWorld({ isMember: () => isMember });
    const by = { ...AGENT, workspace: "ws_b" };
    await world.room.approvals.grantStanding({ ...ANN, workspace: "ws_b" }, order());
    expect((await world.room.stage(callOf({ by }))).approval).not.toBeNull();
    isMember = false;
    expect(await ask(world, { by })).toMatch(/^apr_/);
  });

  it("is somebody who decides about something: by permission, by role or by name", async () => {
    const world = openWorld();
    const grant = (by: typeof dora) => world.room.approvals.grantStanding(by, order());
    const no = await refusalOf(grant({ ...dora, roles: ["cook"], permissions: ["evidence:read"] }));
    expect(no).toMatchObject({ kind: "permission_missing", next: expect.stringContaining("approvals:decide") });
    expect(world.events).toEqual([]);
    for (const by of [
      { ...dora, permissions: ["approvals:*"] },
      { ...dora, roles: ["manager"] },
      principal("person:bob"),
    ])
      expect(await grant(by)).toMatchObject({ granted_by: by.id });
  });

  it("takes it along when the key is revoked that it was granted with, and that is recorded", async () => {
    const world = openWorld();
    const kept = await world.room.approvals.grantStanding(
      { ...ANN, credentialId: "other" },
      order({ tools: ["b__*"] }),
    );
    await world.room.approvals.grantStanding({ ...ANN, credentialId: "lost" }, order());
    await world.room.endStanding(({ credential }) => (credential === "lost" ? "The key was revoked." : null));
    expect(world.room.approvals.standing(ANN)).toEqual([kept]);
    expect(world.events.at(-1)).toMatchObject({
      type: "dev.bailiwick.standing_approval_revoked",
      payload: expect.stringContaining('"reason": "The key was revoked."'),
      subject: "null",
    });
    world.restart();
    expect(world.room.approvals.standing(ANN)).toEqual([kept]);
  });
});
