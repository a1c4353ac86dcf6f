/** An approval is never granted by its requester, an agent or an unknown key, never used twice or for another call, never lost. */
import { describe, expect, it } from "vitest";
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

describe("granting", () => {
  it.each([
    ["its requester", AGENT],
    ["another agent", principal("agent:x", { permissions: ["*"] })],
    ["a service", principal("service:x", { permissions: ["*"], roles: ["manager"] })],
    ["a person without authority", principal("person:x")],
  ])("not by %s", async (_, by) => {
    const world = openWorld();
    const id = await ask(world);
    await expect(world.room.approvals.decide(by, id, { approve: true })).rejects.toMatchObject({ kind: "not_visible" });
    expect(await ask(world)).toBe(id);
  });

  it("not by the person who asked, whatever they hold", async () => {
    const world = openWorld();
    const owner = principal("person:owner", { permissions: ["*"], roles: ["owner"] });
    const id = await ask(world, { by: owner });
    await expect(world.room.approvals.decide(owner, id, { approve: true })).rejects.toMatchObject({
      kind: "not_visible",
    });
  });

  it("not by somebody of another workspace, who is not told that there is one", async () => {
    const world = openWorld();
    const id = await ask(world);
    const stranger = { ...MARIA, workspace: "ws_b" };
    await expect(world.room.approvals.decide(stranger, id, { approve: true })).rejects.toMatchObject({
      kind: "not_found",
    });
    expect(world.room.approvals.get(stranger, id)).toBeNull();
  });

  it("not under four eyes by the one for whom it is asked", async () => {
    const world = openWorld();
    const parts = { demand: demand({ fourEyes: true }) };
    const id = await ask(world, parts);
    await expect(world.room.approvals.decide(ANN, id, { approve: true })).rejects.toMatchObject({
      kind: "not_visible",
    });
    expect(await world.room.approvals.decide(MARIA, id, { approve: true })).toMatchObject({ state: "granted" });
  });

  it("not twice, and not after a no", async () => {
    const world = openWorld();
    const id = await ask(world);
    const both = await Promise.allSettled([
      world.room.approvals.decide(MARIA, id, { approve: false }),
      world.room.approvals.decide(ANN, id, { approve: true }),
    ]);
    expect(both).toMatchObject([{ value: { state: "denied" } }, { reason: { kind: "stale_surface" } }]);
  });
});

describe("using", () => {
  const others: readonly (readonly [string, CallParts])[] = [
    ["other arguments", { args: { job: "J-18" } }],
    ["another definition", { definition: "sha256:other" }],
    ["another version", { capability: { version: "2.0.0" } }],
    ["another provider behind the same outward id", { flatName: "other__schedule_technician" }],
    ["another caller", { by: principal("agent:other", { onBehalfOf: "person:ann" }) }],
    ["another person behind the caller", { by: { ...AGENT, onBehalfOf: "person:bob" } }],
    ["another workspace", { by: { ...AGENT, workspace: "ws_b" } }],
  ];

  it.each(others)("not for %s, named or not", async (_, parts) => {
    const world = openWorld();
    const id = await ask(world);
    const granted = await world.room.approvals.decide(MARIA, id, { approve: true });
    expect(await ask(world, parts)).not.toBe(id);
    for (const approvalRef of [id, granted.decisions[0]?.grant]) {
      const refusal = await refusalOf(world.room.stage(callOf({ ...parts, envelope: { approvalRef } })));
      expect(refusal).toMatchObject({ kind: "approval_denied", next: expect.stringContaining("without approval_ref") });
    }
    begin(world, await world.room.stage(callOf()));
  });

  it("not twice: of two that hold it, one begins", async () => {
    const world = openWorld();
    await world.room.approvals.decide(MARIA, await ask(world), { approve: true });
    const [first, second] = [await world.room.stage(callOf()), await world.room.stage(callOf())];
    begin(world, first);
    expect(() => begin(world, second)).toThrow(
      expect.objectContaining({ kind: "approval_expired", details: expect.objectContaining({ state: "consumed" }) }),
    );
  });

  it("not after it was withdrawn, though a call had passed with it", async () => {
    const world = openWorld();
    const id = await ask(world);
    await world.room.approvals.decide(MARIA, id, { approve: true });
    const passed = await world.room.stage(callOf());
    await world.room.approvals.cancel(AGENT, id);
    expect(() => begin(world, passed)).toThrow(/withdrawn/);
  });

  it("not when what is kept of it is not what was signed", async () => {
    const world = openWorld();
    const id = await ask(world);
    await world.room.approvals.decide(MARIA, id, { approve: true });
    const sealed = world.kept.get(`approval ${id}`);
    if (sealed === undefined) throw new Error("not kept");
    const plain = Buffer.from(sealed.value.slice(4), "base64url").toString();
    const forged = plain.replace('"audience":"host-1"', '"audience":"host-2"');
    world.kept.set(`approval ${id}`, { ...sealed, value: `bw1.${Buffer.from(forged).toString("base64url")}` });
    world.restart();
    expect(await ask(world)).not.toBe(id);
    expect(world.room.approvals.get(MARIA, id)).toMatchObject({ state: "cancelled" });
    expect(world.types()).toContain("dev.bailiwick.approval_cancelled");
  });
});

describe("over a restart", () => {
  it("what waited still waits, with its arguments", async () => {
    const world = openWorld();
    const id = await ask(world);
    world.restart();
    expect([...world.room.approvals.list(MARIA, { state: "pending" })]).toMatchObject([
      { id, arguments: { job: "J-17" } },
    ]);
    expect(await ask(world)).toBe(id);
    await world.room.approvals.decide(MARIA, id, { approve: true });
    world.restart();
    begin(world, await world.room.stage(callOf()));
    world.restart();
    expect(world.room.approvals.get(MARIA, id)).toMatchObject({ state: "consumed" });
    expect(await ask(world)).not.toBe(id);
  });

  it("a no still holds", async () => {
    const world = openWorld();
    await world.room.approvals.decide(MARIA, await ask(world), { approve: false });
    world.restart();
    expect(await refusalOf(world.room.stage(callOf()))).toMatchObject({ kind: "approval_denied" });
  });

  it("without its secret the host asks again, and lets nothing through", async () => {
    const world = openWorld();
    const id = await ask(world);
    await world.room.approvals.decide(MARIA, id, { approve: true });
    world.restart("another");
    const again = await ask(world);
    expect(again).not.toBe(id);
    expect([...world.kept.keys()]).toEqual([`approval ${again}`]);
  });
});

it("what is kept is sealed", async () => {
  const world = openWorld();
  await ask(world, { args: { password: "hunter2" } });
  const kept = [...world.kept.values()].map(({ value }) => value);
  expect(kept).toEqual([expect.stringMatching(/^bw1\.[\w-]+$/)]);
  expect(JSON.stringify([kept, world.events])).not.toContain("hunter2");
});
