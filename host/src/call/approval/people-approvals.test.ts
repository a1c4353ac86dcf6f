/** The queue as people see it, and how it is kept within bounds. */
import { describe, expect, it, vi } from "vitest";
import type { ApprovalRecord } from "../../kernel/approvals.ts";
import type { Refusal } from "../../kernel/refusal.ts";
import { AGENT, ANN, ask, begin, callOf, MARIA, openWorld, principal, refusalOf } from "./room-for-tests.ts";

const STRANGER = principal("person:x");

describe("who sees an approval", () => {
  it("its askers and those who may decide, with the exact arguments; nobody else", async () => {
    const world = openWorld();
    const args = { token: "abc", amount: 1.5, list: [{ a: null }] };
    const id = await ask(world, { args });
    for (const reader of [AGENT, ANN, MARIA]) {
      expect(world.room.approvals.get(reader, id)).toMatchObject({ id, state: "pending", arguments: args });
      expect([...world.room.approvals.list(reader)]).toHaveLength(1);
    }
    const others = [STRANGER, { ...AGENT, onBehalfOf: "person:bob" }, { ...MARIA, workspace: "ws_b" }];
    for (const reader of others) {
      expect(world.room.approvals.get(reader, id)).toBeNull();
      expect([...world.room.approvals.list(reader)]).toEqual([]);
    }
  });

  it("newest first, by state, and without what is only kept", async () => {
    const world = openWorld();
    const first = await ask(world, { args: { i: 1 } });
    const second = await ask(world, { args: { i: 2 } });
    await world.room.approvals.decide(MARIA, first, { approve: true });
    expect([...world.room.approvals.list(MARIA)].map(({ id }) => id)).toEqual([second, first]);
    expect([...world.room.approvals.list(MARIA, { state: "pending" })].map(({ id }) => id)).toEqual([second]);
    const known =
      "id state digest invocation_id correlation_id capability arguments tool requested_by on_behalf_of workspace door rule risk_tier required decisions created_at expires_at";
    expect(Object.keys(world.room.approvals.get(MARIA, second) ?? {}).toSorted()).toEqual(known.split(" ").toSorted());
  });
});

describe("a long queue", () => {
  const idsOf = (records: Iterable<ApprovalRecord>): string[] => Array.from(records, ({ id }) => id);

  it("is listed whole, from wherever one was", async () => {
    const world = openWorld();
    const asked: string[] = [];
    for (let i = 0; i < 1_200; i++) {
      const by = principal(`agent:a${i % 8}`, { onBehalfOf: "person:ann" });
      asked.unshift(await ask(world, { by, args: { i } }));
    }
    expect(world.room.approvals.count(MARIA, "pending")).toBe(1_200);
    expect(idsOf(world.room.approvals.list(MARIA, { state: "pending" }))).toEqual(asked);
    const [, , third = "", ...older] = asked;
    expect(idsOf(world.room.approvals.list(MARIA, { before: third }))).toEqual(older);
    expect(idsOf(world.room.approvals.list(MARIA, { before: "apr_none" }))).toEqual([]);
  });

  it("is read only as far as somebody looks", async () => {
    const world = openWorld();
    for (let i = 0; i < 10; i++) await ask(world, { args: { i } });
    const parse = vi.spyOn(JSON, "parse");
    const [newest] = world.room.approvals.list(MARIA);
    const parsed = parse.mock.calls.length;
    parse.mockRestore();
    expect([newest?.arguments, parsed]).toEqual([{ i: 9 }, 1]);
  });

  it("takes so much text of one caller, and then still that of the others", async () => {
    const world = openWorld();
    const text = "x".repeat(250_000);
    const fill = async (): Promise<Refusal> => {
      for (let i = 0; ; i++) {
        const no = await refusalOf(world.room.stage(callOf({ args: { i, text } })));
        if (no.kind !== "approval_pending") return no;
      }
    };
    const full = await fill();
    expect(full).toMatchObject({ kind: "rate_limited", details: { limit: 4_194_304 }, retryable: true });
    expect(full.message).toMatch(/^The arguments of the approvals of agent:planner for person:ann .* \d+ characters/);
    await ask(world, { by: principal("agent:other"), args: { text } });
    // What was decided against or used makes room.
    const [one] = world.room.approvals.list(MARIA, { state: "pending" });
    await world.room.approvals.decide(MARIA, one?.id ?? "", { approve: false });
    expect(world.room.approvals.count(MARIA, "pending")).toBe(16);
    world.restart();
    expect((await fill()).details).toEqual(full.details);
  });
});

describe("withdrawing", () => {
  it("is for who asked, also through the person behind", async () => {
    const world = openWorld();
    const id = await ask(world);
    await expect(world.room.approvals.cancel(MARIA, id)).rejects.toMatchObject({ kind: "not_visible" });
    await expect(world.room.approvals.cancel(STRANGER, id)).rejects.toMatchObject({ kind: "not_found" });
    expect(await world.room.approvals.cancel(AGENT, id)).toMatchObject({ state: "cancelled" });
    await expect(world.room.approvals.cancel(AGENT, id)).rejects.toMatchObject({ kind: "stale_surface" });
    await world.room.approvals.cancel(ANN, await ask(world));
    expect(world.types().filter((type) => type.endsWith("cancelled"))).toHaveLength(2);
  });

  it("happens to what pends or is granted when its ground is gone, and to nothing else", async () => {
    const world = openWorld();
    const [used, granted, waiting, other] = [
      await ask(world, { args: { i: 1 } }),
      await ask(world, { args: { i: 2 } }),
      await ask(world, { args: { i: 3 } }),
      await ask(world, { flatName: "other__t" }),
    ];
    for (const id of [used, granted]) await world.room.approvals.decide(MARIA, id, { approve: true });
    begin(world, await world.room.stage(callOf({ args: { i: 1 } })));
    await world.room.cancelWhere(({ tool }) => (tool === "other__t" ? null : "its definition changed"));
    const states = [used, granted, waiting, other].map((id) => world.room.approvals.get(MARIA, id)?.state);
    expect(states).toEqual(["consumed", "cancelled", "cancelled", "pending"]);
    expect(world.room.approvals.get(MARIA, granted)?.reason).toBe("its definition changed");
  });
});

it("whoever listens hears of each change, and a listener that fails disturbs nobody", async () => {
  const world = openWorld();
  const heard: string[] = [];
  const end = world.room.approvals.onChange(({ state, arguments: args }: ApprovalRecord) =>
    heard.push(`${state} ${JSON.stringify(args)}`),
  );
  world.room.approvals.onChange(() => {
    throw new Error("mine");
  });
  const id = await ask(world);
  await world.room.approvals.decide(MARIA, id, { approve: true });
  begin(world, await world.room.stage(callOf()));
  end();
  await ask(world);
  expect(heard).toEqual(["pending", "granted", "consumed"].map((state) => `${state} {"job":"J-17"}`));
  expect(world.bugs).toHaveLength(4);
});

it("a reason that is a book is not taken", async () => {
  const world = openWorld();
  const id = await ask(world);
  const long = { approve: false, reason: "x".repeat(2_001) };
  await expect(world.room.approvals.decide(MARIA, id, long)).rejects.toMatchObject({ kind: "bad_request" });
});

it("of large arguments nothing is kept once it is over", async () => {
  const world = openWorld();
  const id = await ask(world, { args: { text: "x".repeat(3_000) } });
  await world.room.approvals.decide(MARIA, id, { approve: false });
  expect(world.room.approvals.get(MARIA, id)?.arguments).toBeNull();
  world.restart();
  expect(world.room.approvals.get(MARIA, id)?.arguments).toBeNull();
});

it("what ended 30 days ago goes with the next write", async () => {
  const world = openWorld();
  const id = await ask(world);
  await world.room.approvals.decide(MARIA, id, { approve: false });
  world.now += 30 * 86_400_000 + 1;
  const next = await ask(world);
  expect(world.room.approvals.get(MARIA, id)).toBeNull();
  expect([...world.kept.keys()]).toEqual([`approval ${next}`]);
});

it("that one ran out is recorded by the clock, when nobody looks", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  try {
    const world = openWorld();
    await ask(world);
    world.now += 3_600_000;
    vi.advanceTimersByTime(3_600_000);
    while (world.events.length < 2) await new Promise((done) => setImmediate(done));
    expect(world.types()).toEqual(["approval_requested", "dev.bailiwick.approval_expired"]);
    expect(vi.getTimerCount()).toBe(0);
  } finally {
    vi.useRealTimers();
  }
});
