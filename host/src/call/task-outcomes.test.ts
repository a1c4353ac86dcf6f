import { afterEach, describe, expect, it, vi } from "vitest";
import type { Answer } from "../kernel/call.ts";
import type { ProviderAnswer } from "../kernel/provider.ts";
import { rawJson } from "../kernel/raw-json.ts";
import { failure, openPath, type Answering, type TestPath } from "./path-for-tests.ts";
import { beginOne, COMPLETED, jsonOf, order, refusalOf, state, taskCaller, tasking } from "./tasks-for-tests.ts";
import { keepTasks, taskRecord } from "./upstream/task-records-for-tests.ts";

const open: TestPath[] = [];
const openWith = (answering: Answering, options: Parameters<typeof openPath>[1] = {}): TestPath => {
  const path = openPath(answering, options);
  open.push(path);
  return path;
};
afterEach(() => open.splice(0).forEach((path) => path.close()));

const WORKING = tasking(() => state("working"));
const outcomes = (path: TestPath) => path.events.filter(({ outcome }) => outcome !== null);

describe("the outcome of a task", () => {
  it.each([
    ["completed", COMPLETED, "execution_completed", "null"],
    ["completed with a tool's error", state("completed", ',"result":{"isError":true}'), "execution_failed", "tool_err"],
    ["failed", state("failed", ',"error":{"code":-32603,"message":"m"}'), "execution_failed", "-32603"],
    ["cancelled", state("cancelled"), "execution_failed", "cancelled"],
    ["forgotten by its server", failure(-32602), "execution_indeterminate", "task_lost"],
  ])("is recorded though nobody asks: %s", async (_, answer, type, error) => {
    const path = openWith(tasking(() => answer));
    await beginOne(path);
    await vi.waitFor(() => expect(outcomes(path)).toHaveLength(1), 5_000);
    const [started] = path.events;
    expect(outcomes(path)[0]).toMatchObject({ type, invocationId: started?.invocationId });
    expect(outcomes(path)[0]?.error).toContain(error);
    expect(outcomes(path)[0]?.correlation.id).toBe(started?.correlation.id);
  });

  it("is recorded once, however many see it at once", async () => {
    const path = openWith(tasking(() => COMPLETED));
    const id = await beginOne(path);
    await Promise.all(Array.from({ length: 20 }, () => path.tasks.get(order(id))));
    await vi.waitFor(() => expect(outcomes(path)).toHaveLength(1));
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(outcomes(path)).toHaveLength(1);
  });

  it("is not unmade by an answer that was overtaken, nor is anything asked after it", async () => {
    const late = Promise.withResolvers<ProviderAnswer>();
    const answers = [late.promise];
    const path = openWith(tasking(() => answers.pop() ?? COMPLETED));
    const id = await beginOne(path);
    const overtaken = path.tasks.get(order(id));
    await path.tasks.get(order(id));
    await vi.waitFor(() => expect(outcomes(path)).toHaveLength(1));
    late.resolve(state("working"));
    await overtaken;
    const sent = path.sent.length;
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(path.sent).toHaveLength(sent);
  });

  it("waits for a server that is away, and is asked of it when it is back", async () => {
    const path = openWith(tasking(() => COMPLETED));
    await beginOne(path);
    path.running = false;
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(outcomes(path)).toEqual([]);
    path.running = true;
    await vi.waitFor(() => expect(outcomes(path)).toHaveLength(1), 5_000);
  });

  it("is recorded by the next run of the host, which does not record what an earlier one did", async () => {
    const store = keepTasks();
    const first = openWith(WORKING, { store });
    const id = await beginOne(first);
    const [started] = first.events;
    first.close();
    const second = openWith(
      tasking(() => COMPLETED),
      { store, open: new Set([started?.invocationId ?? ""]) },
    );
    await vi.waitFor(() => expect(outcomes(second)).toHaveLength(1), 5_000);
    expect(outcomes(second)[0]).toMatchObject({ invocationId: started?.invocationId, subject: started?.subject });
    second.close();
    const third = openWith(
      tasking(() => COMPLETED),
      { store },
    );
    expect(jsonOf((await third.tasks.get(order(id))).ending)).toContain('"status":"completed"');
    expect(third.events).toEqual([]);
  });

  it("is not recorded again when the host died between the outcome and its note of it", async () => {
    const store = keepTasks();
    const first = openWith(WORKING, { store });
    const id = await beginOne(first);
    first.close();
    const second = openWith(
      tasking(() => COMPLETED),
      { store, open: new Set() },
    );
    await second.tasks.get(order(id));
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(second.events).toEqual([]);
  });

  it.each([
    ["tasks/update", (path, id) => path.tasks.update(order(id), rawJson('{"wrong":{}}'))],
    ["tasks/cancel", (path, id) => path.tasks.cancel(order(id))],
  ] satisfies [string, (path: TestPath, id: string) => Promise<Answer>][])(
    "is the one that it has, though its server refused a %s: that comes as it is",
    async (_, act) => {
      const path = openWith(tasking(({ method }) => (method === "tasks/get" ? COMPLETED : failure(-32602))));
      const id = await beginOne(path);
      expect((await act(path, id)).ending).toMatchObject({ kind: "error", code: -32602 });
      await vi.waitFor(() => expect(outcomes(path)).toHaveLength(1), 5_000);
      expect(outcomes(path)).toMatchObject([{ type: "execution_completed" }]);
    },
  );
});

describe("a task whose outcome cannot be recorded", () => {
  it("is not shown to whoever asks or listens, until it is", async () => {
    let over = false;
    const path = openWith(tasking(() => (over ? COMPLETED : state("working"))));
    const id = await beginOne(path);
    const heard: string[] = [];
    path.tasks.watch(order(id), (members) => heard.push(members));
    await vi.waitFor(() => expect(heard).toHaveLength(1), 5_000);
    path.writable = false;
    over = true;
    const asked = await Promise.all(Array.from({ length: 5 }, () => path.tasks.get(order(id))));
    expect(asked.map(refusalOf)).toEqual(Array.from({ length: 5 }, () => "outcome_unrecorded"));
    expect(heard).toHaveLength(1);
    path.writable = true;
    await vi.waitFor(() => expect(heard).toHaveLength(2), 5_000);
    expect(outcomes(path)).toMatchObject([{ type: "execution_completed" }]);
    expect(jsonOf((await path.tasks.get(order(id))).ending)).toContain('"result":{');
  });

  it("is tried again at a distance, also when it was lost long ago", async () => {
    const store = keepTasks();
    const old = taskRecord("tk_old", { createdAt: 0, ttlMs: 1 });
    await store.save(old);
    const path = openWith(WORKING, { store, open: new Set([old.invocation.id]) });
    path.running = false;
    path.writable = false;
    await new Promise((resolve) => setTimeout(resolve, 700));
    path.writable = true;
    await vi.waitFor(() => expect(outcomes(path)).toMatchObject([{ type: "execution_indeterminate" }]), 5_000);
  });

  it("is not shown in a form that says nothing of its state", async () => {
    const path = openWith(tasking(() => state("Completed", ',"result":{"content":[]}')));
    expect(refusalOf(await path.tasks.get(order(await beginOne(path))))).toBe("upstream_failed");
  });
});

describe("a task whose arguments were too long to be kept", () => {
  const governed = (policy: object): TestPath =>
    openWith(
      tasking(() => COMPLETED),
      { policy },
    );
  const ask = async (policy: object, args: object): Promise<Answer> => {
    const path = governed(policy);
    const argsJson = rawJson(JSON.stringify(args));
    const { ending } = await path.call({ asker: taskCaller(), args: args as Record<string, unknown>, argsJson });
    return path.tasks.get(order((JSON.parse(jsonOf(ending)) as { taskId: string }).taskId));
  };
  const match = { tools: ["p__t"] };
  const small = [{ path: "/amount", op: "<=", value: 10 }];
  const large = [{ path: "/amount", op: ">", value: 10 }];
  const policies: readonly object[] = [
    { rules: [{ id: "large", match: { ...match, arguments: large }, effect: "deny" }] },
    { shipped: false, rules: [{ id: "small", match: { ...match, arguments: small }, effect: "allow" }] },
    { host: { block_patterns: [{ capability_id: "*", field: "amount", pattern: "^$" }] } },
    {
      capabilities: {
        p__t: {
          invariants: [
            { id: "i", kind: "required_payload_fields", enforcement: "host", parameters: { fields: ["amount"] } },
          ],
        },
      },
    },
  ];

  it.each(policies)("is its caller's all the same, where arguments decide: %j", async (policy) => {
    for (const text of ["short", "x".repeat(5_000)])
      expect((await ask(policy, { amount: 1, text })).ending.kind).toBe("result");
  });

  it("is refused by what does not ask for arguments", async () => {
    const path = governed({});
    const args = { text: "x".repeat(5_000) };
    const argsJson = rawJson(JSON.stringify(args));
    const { ending } = await path.call({ asker: taskCaller(), args, argsJson });
    path.admitted = false;
    expect(refusalOf(await path.tasks.get(order((JSON.parse(jsonOf(ending)) as { taskId: string }).taskId)))).toBe(
      "unauthenticated",
    );
  });
});
