import { afterEach, describe, expect, it, vi } from "vitest";
import type { HandleCall } from "../../kernel/call.ts";
import { rawJson } from "../../kernel/raw-json.ts";
import { Refusal } from "../../kernel/refusal.ts";
import type { Opened } from "../../kernel/stages.ts";
import { beginTask } from "./task-begin.ts";
import { keepTasks, LOCAL } from "./task-records-for-tests.ts";
import { TaskPoller } from "./task-poller.ts";
import {
  APPROVAL,
  ended,
  openWaits,
  orderOf,
  RAN,
  refused,
  statusOf,
  taskIdOf,
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

const indeterminate = new Refusal("indeterminate", { message: "", next: "" });

describe("its caller", () => {
  it("withdraws the wait by cancelling; the approval stays as it is and runs nothing later", async () => {
    const test = open();
    const id = taskIdOf(await test.call());
    expect((await test.tasks.cancel(orderOf(id))).ending).toMatchObject({ kind: "result", json: "{}" });
    expect(await statusOf(test, id)).toBe("cancelled");
    expect(test.approvals.get(APPROVAL)?.state).toBe("pending");
    test.decide("granted");
    await test.tasks.cancel(orderOf(id));
    expect([test.runs, await statusOf(test, id)]).toEqual([[], "cancelled"]);
  });

  it("cancels a call that runs by its signal, and the call says how it ended", async () => {
    const test = open(async ({ signal }) => {
      await new Promise((resolve) => signal.addEventListener("abort", resolve));
      return refused(indeterminate);
    });
    const id = taskIdOf(await test.call());
    test.decide("granted");
    await vi.waitFor(() => expect(test.runs).toHaveLength(1));
    await test.tasks.cancel(orderOf(id));
    await untilStatus(test, id, "failed");
    expect(await test.get(id)).toMatchObject({ error: { data: { kind: "indeterminate" } } });
  });

  it("is the only one who hears of it, and only while it may call", async () => {
    const test = open();
    const id = taskIdOf(await test.call());
    const other = { ...LOCAL, onBehalfOf: "person:eve" };
    for (const act of ["get", "cancel"] as const)
      expect((await test.tasks[act](orderOf(id, { principal: other }))).ending).toMatchObject({
        refusal: { kind: "resource_not_found" },
      });
    test.isAdmitted = false;
    expect((await test.tasks.get(orderOf(id))).ending).toMatchObject({ refusal: { kind: "unauthenticated" } });
    expect((await test.tasks.cancel(orderOf(id))).ending).toMatchObject({ refusal: { kind: "unauthenticated" } });
  });

  it("is told of every change that it listens for", async () => {
    const test = open();
    const id = taskIdOf(await test.call());
    const heard: string[] = [];
    test.tasks.watch(orderOf(id), (members) => heard.push((JSON.parse(`{${members}}`) as { status: string }).status));
    await vi.waitFor(() => expect(heard).toEqual(["working"]));
    test.decide("granted");
    await vi.waitFor(() => expect(heard.at(-1)).toBe("completed"));
  });

  it("is asked what the call asks, and its answer goes back under its name", async () => {
    const test = open(async ({ asker, signal }) => {
      const params = rawJson('{"message":"Sure?","requestedSchema":{"type":"object"}}');
      const said = await asker.ask({ method: "elicitation/create", params, key: "sure" }, signal);
      return ended({ kind: "result", json: rawJson(`{"content":[],"said":${said.json}}`), isError: false });
    });
    const id = taskIdOf(await test.call());
    test.decide("granted");
    await untilStatus(test, id, "input_required");
    expect(await test.get(id)).toMatchObject({ inputRequests: { sure: { params: { message: "Sure?" } } } });
    await test.tasks.update(orderOf(id), rawJson('{"sure":{"action":"maybe"},"other":{}}'));
    expect(await statusOf(test, id)).toBe("input_required");
    await test.tasks.update(orderOf(id), rawJson('{"sure":{"action":"accept","content":{"n":1.0}}}'));
    await untilStatus(test, id, "completed");
    expect(await test.get(id)).toMatchObject({ result: { said: { action: "accept", content: { n: 1 } } } });
  });
});

it("becomes its server's task, under the same id, when the server makes one of it", async () => {
  const test = open(async (raw) => {
    const poller = new TaskPoller({
      book: test.book,
      findProvider: () => null,
      recordEnd: () => Promise.resolve(),
      answerRoots: async () => true,
      reportBug: () => {},
    });
    poller.stop();
    const invocation = { id: "inv_2", correlation: raw.ids?.correlation };
    const target = { provider: { name: "p" }, name: "t", flatName: "p__t", tool: { definition: "sha256:0" } };
    const opened = { ...raw, principal: LOCAL, target, required: [], invocation } as unknown as Opened;
    const value = { resultType: "task", taskId: "up-1", status: "working" };
    const answer = { kind: "partial", resultType: "task", json: rawJson(JSON.stringify(value)), value } as const;
    const { describe: _, ...desk } = { describe: null, book: test.book, poller };
    const invocationKept = { ...[...test.store.records()][0]!.invocation, id: "inv_2" };
    return ended(
      await beginTask(opened, answer, {
        ...desk,
        describe: () => invocationKept,
        note: () => Promise.resolve(),
        reportBug: () => {},
      }),
    );
  });
  const id = taskIdOf(await test.call());
  test.decide("granted");
  await vi.waitFor(() =>
    expect([...test.store.records()]).toMatchObject([
      { id, upstreamId: "up-1", invocation: { id: "inv_2" }, endedAt: null },
    ]),
  );
  expect([...test.store.records()][0]).not.toHaveProperty("waits");
  expect(test.book.openCount).toBe(1);
});
