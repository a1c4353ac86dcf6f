import { afterEach, describe, expect, it, vi } from "vitest";
import { NOBODY } from "../../kernel/ask.ts";
import type { Answer, HandleCall, RawCall } from "../../kernel/call.ts";
import { rawJson, rawMembers } from "../../kernel/raw-json.ts";
import { Refusal } from "../../kernel/refusal.ts";
import { keepTasks } from "./task-records-for-tests.ts";
import {
  APPROVAL,
  ended,
  openWaits,
  pendingRefusal,
  RAN,
  refused,
  statusOf,
  taskIdOf,
  TASKS_DECLARED,
  untilStatus,
  type TestWaits,
} from "./task-waits-for-tests.ts";

const all: TestWaits[] = [];
const open = (handle: HandleCall = async () => RAN, store = keepTasks()): TestWaits => {
  const test = openWaits(handle, store);
  all.push(test);
  return test;
};
afterEach(() => {
  for (const test of all.splice(0)) test.close();
});

const refusal = (kind: "not_ready" | "policy_denied"): Refusal => new Refusal(kind, { message: "", next: "" });

describe("a call that waits for a decision, of a client that takes tasks", () => {
  it("becomes a task that says for what it waits, and runs nothing", async () => {
    const test = open();
    const answer = await test.call();
    const { ending } = answer;
    expect([ending.kind, answer.outcome, "open" in ending && ending.open]).toEqual(["result", null, true]);
    const task = JSON.parse("json" in ending ? ending.json : "");
    expect(task).toMatchObject({
      resultType: "task",
      taskId: expect.stringMatching(/^tk_[0-9a-f]{32}$/),
      status: "working",
      statusMessage: `p__t waits for the approval ${APPROVAL}.`,
      ttlMs: null,
      pollIntervalMs: 1000,
      _meta: { "dev.bailiwick/approval": { approval_id: APPROVAL, digest: "sha256:0" } },
    });
    expect(await test.get(task.taskId)).toMatchObject({ resultType: "complete", status: "working" });
    expect([test.runs, test.notes]).toEqual([[], ["dev.bailiwick.task_created"]]);
  });

  it.each<[string, Partial<RawCall>]>([
    ["declares no tasks", { asker: { ...NOBODY, returns: true } }],
    ["waits for its answer", { asker: { ...NOBODY, declared: TASKS_DECLARED } }],
    ["reads a resource", { operation: "read" }],
    ["says too much to be kept", { extraParams: rawMembers(`"x":"${"x".repeat(600_000)}"`) }],
  ])("stays as it is for one that %s", async (_, over) => {
    const test = open();
    expect((await test.call(over)).ending.kind).toBe("refusal");
    expect([...test.store.records()]).toEqual([]);
  });

  it("leaves every other refusal alone", async () => {
    const test = open();
    const other = refused(refusal("policy_denied"));
    expect(await test.waits.defer({} as never, other)).toBe(other);
  });

  it("runs once when it is allowed: the same call, its credential verified anew, as part of what it belongs to", async () => {
    const test = open();
    const id = taskIdOf(await test.call());
    test.decide("granted");
    test.decide("granted");
    await untilStatus(test, id, "completed");
    expect(await test.get(id)).toMatchObject({ result: { resultType: "complete", content: [], n: 1 } });
    expect(test.runs).toHaveLength(1);
    expect(test.runs[0]).toMatchObject({
      name: "p__t",
      args: { a: 1 },
      argsJson: '{"a":1.0}',
      presented: { kind: "bearer", token: "secret-key" },
      verified: null,
      approvalWaitMs: 0,
      ids: { correlation: { id: "corr_1", causationId: "inv_first", fresh: false } },
    });
    expect(JSON.stringify([...test.store.records()])).not.toContain("secret-key");
  });

  it("runs with the freshest credential that its caller showed", async () => {
    const test = open();
    const id = taskIdOf(await test.call());
    await test.get(id, { presented: { kind: "bearer", token: "fresh" } });
    test.decide("granted");
    await vi.waitFor(() => expect(test.runs).toHaveLength(1));
    expect(test.runs[0]?.presented).toEqual({ kind: "bearer", token: "fresh" });
  });

  it.each([
    ["denied", "approval_denied"],
    ["expired", "approval_expired"],
    ["cancelled", "approval_expired"],
  ] as const)("fails when the approval is %s, and runs nothing", async (state, kind) => {
    const test = open();
    const id = taskIdOf(await test.call());
    test.decide(state);
    await untilStatus(test, id, "failed");
    expect(await test.get(id)).toMatchObject({ error: { data: { kind } } });
    expect(test.runs).toEqual([]);
  });

  it("ends as its call ends: with an error, or with what the gates say now", async () => {
    const error = ended({ kind: "error", code: -32602, json: rawJson('{"code":-32602,"message":"m"}') });
    for (const [answer, shown] of [
      [error, { error: { code: -32602, message: "m" } }],
      [refused(refusal("policy_denied")), { error: { data: { kind: "policy_denied" } } }],
    ] as const) {
      const test = open(async () => answer);
      const id = taskIdOf(await test.call());
      test.decide("granted");
      await untilStatus(test, id, "failed");
      expect(await test.get(id)).toMatchObject(shown);
    }
  });

  it("goes on waiting when somebody else's equal call used the approval up, for one of its own", async () => {
    const test = open(async () => {
      if (test.runs.length > 1) return RAN;
      test.approvals.set("apr_2", { ...test.approvals.get(APPROVAL)!, id: "apr_2", state: "pending" });
      return refused(pendingRefusal("apr_2"));
    });
    const id = taskIdOf(await test.call());
    test.decide("consumed", { consumed_by: "inv_other" });
    await vi.waitFor(async () =>
      expect(await test.get(id)).toMatchObject({ statusMessage: expect.stringContaining("apr_2") }),
    );
    expect(await statusOf(test, id)).toBe("working");
    test.decide("granted");
    await untilStatus(test, id, "completed");
  });

  it("tries again while its server is away and the approval is good", async () => {
    const test = open(async () => (test.runs.length === 1 ? refused(refusal("not_ready")) : RAN));
    const id = taskIdOf(await test.call());
    test.decide("granted");
    await vi.waitFor(() => expect(test.runs).toHaveLength(2), 5_000);
    await untilStatus(test, id, "completed");
  });

  it("gives up at the end of the time of an approval that an equal call used up", async () => {
    const test = open(async () => refused(refusal("not_ready")));
    const id = taskIdOf(await test.call());
    test.decide("consumed", { consumed_by: "inv_other", expires_at: "2999-01-01T00:00:00.000Z" });
    await vi.waitFor(() => expect(test.runs).toHaveLength(1));
    expect(await statusOf(test, id)).toBe("working");
    test.approvals.set(APPROVAL, { ...test.approvals.get(APPROVAL)!, expires_at: "2001-01-01T00:00:00.000Z" });
    await vi.waitFor(async () => expect(await statusOf(test, id)).toBe("failed"), 10_000);
    expect(test.runs).toHaveLength(2);
    expect(await test.get(id)).toMatchObject({ error: { data: { kind: "not_ready" } } });
  });

  it("says when its result is too large to be kept", async () => {
    const json = rawJson(`{"content":[{"type":"text","text":"${"x".repeat(5 << 20)}"}]}`);
    const test = open(async () => ended({ kind: "result", json, isError: false }));
    const id = taskIdOf(await test.call());
    test.decide("granted");
    await untilStatus(test, id, "failed");
    expect(await test.get(id)).toMatchObject({ error: { data: { kind: "too_large" } } });
  });
});

describe("over a restart of the host", () => {
  const restart = async (before: TestWaits, handle: HandleCall = async () => RAN): Promise<TestWaits> => {
    before.close();
    const after = openWaits(handle, before.store, false);
    all.push(after);
    return after;
  };
  const startWith = (test: TestWaits, over: object): void => {
    test.approvals.set(APPROVAL, { ...test.approvals.get(APPROVAL)!, ...over });
    test.waits.start({
      handleCall: async (raw) => {
        test.runs.push(raw);
        return RAN;
      },
      approvals: { get: (_, id) => test.approvals.get(id) ?? null, onChange: () => () => {} },
    });
  };

  it.each([
    [{ state: "granted" }, "completed", 1],
    [{ state: "denied" }, "failed", 0],
    [{ state: "expired" }, "failed", 0],
    [{ state: "pending" }, "working", 0],
  ])("goes on as its approval says: %j", async (over, status, runs) => {
    const before = open();
    const id = taskIdOf(await before.call());
    const after = await restart(before);
    startWith(after, over);
    await untilStatus(after, id, status);
    expect(after.runs).toHaveLength(runs);
  });

  it("does not run a second time what had begun: nobody knows how that ended", async () => {
    const before = open(() => new Promise<Answer>(() => {}));
    const id = taskIdOf(await before.call());
    before.decide("granted");
    await vi.waitFor(() => expect(before.runs).toHaveLength(1));
    const consumed_by = before.runs[0]?.ids?.invocationId;
    const after = await restart(before);
    startWith(after, { state: "consumed", consumed_by });
    await untilStatus(after, id, "failed");
    expect(after.runs).toEqual([]);
    expect(await after.get(id)).toMatchObject({ error: { data: { kind: "indeterminate" } } });
  });

  it("still shows how it ended", async () => {
    const before = open();
    const id = taskIdOf(await before.call());
    before.decide("granted");
    await untilStatus(before, id, "completed");
    const after = await restart(before);
    startWith(after, { state: "consumed" });
    expect(await after.get(id)).toMatchObject({ status: "completed", result: { n: 1 } });
    expect(after.runs).toEqual([]);
  });
});
