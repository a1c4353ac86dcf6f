/** Calls whose callers wait for the decision. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Refusal } from "../../kernel/refusal.ts";
import type { Valid } from "../../kernel/stages.ts";
import {
  ask,
  begin,
  callOf,
  demand,
  MARIA,
  openWorld,
  principal,
  refusalOf,
  type TestWorld,
} from "./room-for-tests.ts";

const WAIT = { waitMs: 60_000 };

/** The one approval that waits, as soon as there is one. */
const pending = async (world: TestWorld): Promise<string> => {
  for (;;) {
    const [record] = world.room.approvals.list(MARIA, { state: "pending" });
    if (record !== undefined) return record.id;
    await new Promise((resolve) => setImmediate(resolve));
  }
};

it("a call that waits is told for what, and runs when a person says yes", async () => {
  const world = openWorld();
  const heard: string[] = [];
  const call = world.room.stage(callOf({ ...WAIT, progress: (members) => heard.push(members) }));
  const id = await pending(world);
  await world.room.approvals.decide(MARIA, id, { approve: true });
  expect((await call).approval?.id).toBe(id);
  expect(heard).toEqual([`"progress":1,"message":"waiting for approval ${id}"`]);
});

it("a call that waits hears a no with its reason", async () => {
  const world = openWorld();
  const call = refusalOf(world.room.stage(callOf(WAIT)));
  await world.room.approvals.decide(MARIA, await pending(world), { approve: false, reason: "no" });
  expect(await call).toMatchObject({ kind: "approval_denied" });
});

it("a call that waited long enough is told that it is pending", async () => {
  const world = openWorld();
  const call = refusalOf(world.room.stage(callOf({ waitMs: 20 })));
  const id = await pending(world);
  world.now += 20;
  expect(await call).toMatchObject({ kind: "approval_pending", details: { approval_id: id } });
});

it("a call that waited for one that ran out hears that, and asks for no other", async () => {
  const world = openWorld();
  const waiting = refusalOf(world.room.stage(callOf(WAIT)));
  const id = await pending(world);
  world.now += 3_600_000;
  const next = await ask(world);
  expect(await waiting).toMatchObject({ kind: "approval_expired", details: { approval_id: id, state: "expired" } });
  expect([...world.room.approvals.list(MARIA, { state: "pending" })].map((record) => record.id)).toEqual([next]);
});

it("a call that waited for one that was withdrawn hears why, and asks for no other", async () => {
  const world = openWorld();
  const waiting = refusalOf(world.room.stage(callOf(WAIT)));
  await pending(world);
  await world.room.cancelWhere(() => "the policy changed");
  expect(await waiting).toMatchObject({
    kind: "approval_expired",
    message: expect.stringContaining("the policy changed"),
    details: { state: "cancelled" },
  });
  expect(world.room.approvals.count(MARIA, "pending")).toBe(0);
});

it("a caller that goes away leaves the approval pending", async () => {
  const world = openWorld();
  const caller = new AbortController();
  const call = refusalOf(world.room.stage(callOf({ ...WAIT, signal: caller.signal })));
  const id = await pending(world);
  caller.abort();
  expect(await call).toMatchObject({ kind: "cancelled", message: expect.stringContaining(id) });
  expect(world.room.approvals.get(MARIA, id)).toMatchObject({ state: "pending" });
});

it("a call whose key was revoked while it waited does not run, and the next in line does", async () => {
  const world = openWorld();
  world.reassess = () => {
    world.reassess = (call) => call;
    throw new Refusal("unauthenticated", { message: "Revoked.", next: "Send a key." });
  };
  const calls = [world.room.stage(callOf(WAIT)), world.room.stage(callOf(WAIT))];
  const id = await pending(world);
  await world.room.approvals.decide(MARIA, id, { approve: true });
  const ends = await Promise.allSettled(calls);
  expect(ends.map(({ status }) => status).toSorted()).toEqual(["fulfilled", "rejected"]);
  expect(ends).toContainEqual({ status: "rejected", reason: expect.objectContaining({ kind: "unauthenticated" }) });
});

describe("a call that waited while its policy changed", () => {
  /** From the moment it is woken the gates say this of it. */
  const governed = (world: TestWorld, over: Partial<Valid["verdict"]>): void => {
    world.reassess = (call) => Object.assign(call, { verdict: { ...call.verdict, ...over }, guardrails: ["g"] });
  };

  it("needs what is demanded now: one yes to the old question is none to the new one", async () => {
    const world = openWorld();
    const stage = world.room.stage(callOf(WAIT));
    const first = await pending(world);
    governed(world, { demand: demand({ count: 2, fourEyes: true }) });
    await world.room.approvals.decide(MARIA, first, { approve: true });
    const second = await pending(world);
    expect(second).not.toBe(first);
    expect(world.room.approvals.get(MARIA, second)).toMatchObject({ required: { count: 2, four_eyes: true } });
    await world.room.approvals.decide(MARIA, second, { approve: true });
    await world.room.approvals.decide(principal("person:otto", { permissions: ["*"] }), second, { approve: true });
    const passed = await stage;
    expect(passed).toMatchObject({ approval: { id: second }, guardrails: ["g"] });
    begin(world, passed);
    expect(world.room.approvals.get(MARIA, first)).toMatchObject({ state: "granted" });
  });

  it("needs none if none is demanded any more, and leaves the yes to the next in line", async () => {
    const world = openWorld();
    const calls = [world.room.stage(callOf(WAIT)), world.room.stage(callOf(WAIT))];
    const id = await pending(world);
    world.reassess = (call) => {
      world.reassess = (same) => same;
      return Object.assign(call, { verdict: { ...call.verdict, demand: null } });
    };
    await world.room.approvals.decide(MARIA, id, { approve: true });
    const passed = await Promise.all(calls);
    const used = passed.map(({ approval }) => approval?.id ?? null);
    expect(new Set(used)).toEqual(new Set([id, null]));
  });
});

it("whoever watches hears of the decision, of the end of the wait, and of an id that there is not", async () => {
  const world = openWorld();
  const { signal } = new AbortController();
  const id = await ask(world);
  expect(await world.room.approvals.settled(id, 0, signal)).toBe("pending");
  expect(await world.room.approvals.settled("apr_x", 1_000, signal)).toBeNull();
  expect(await world.room.approvals.settled(id, 60_000, AbortSignal.abort())).toBe("pending");
  const settled = world.room.approvals.settled(id, 60_000, signal);
  await world.room.approvals.decide(MARIA, id, { approve: true });
  expect(await settled).toBe("granted");
});

it("of any number of same calls, waiting or not, one approval lets exactly one run", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.boolean(), { minLength: 1, maxLength: 12 }), fc.nat(3), async (waits, late) => {
      const world = openWorld();
      const callers = new AbortController();
      let count = 0;
      const run = async (wait: boolean): Promise<string> => {
        try {
          const call = callOf(wait ? { ...WAIT, signal: callers.signal } : {});
          begin(world, await world.room.stage(call), `inv_${++count}`);
          return "ran";
        } catch (no) {
          return (no as Refusal).kind;
        }
      };
      const calls = waits.map(run);
      const id = await pending(world);
      await world.room.approvals.decide(MARIA, id, { approve: true });
      const more = Array.from({ length: late + 1 }, () => run(false));
      await Promise.all(more);
      // Whoever still waits has asked for another one, which nobody grants.
      callers.abort();
      const ends = await Promise.all([...calls, ...more]);
      expect(ends.filter((end) => end === "ran")).toHaveLength(1);
      expect(world.types().filter((type) => type === "approval_grant_verified")).toHaveLength(1);
      expect(world.room.approvals.get(MARIA, id)).toMatchObject({ state: "consumed" });
    }),
    { numRuns: 60 },
  );
});
