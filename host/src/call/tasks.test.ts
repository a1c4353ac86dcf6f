import { afterEach, describe, expect, it, vi } from "vitest";
import { rawJson, rawMembers } from "../kernel/raw-json.ts";
import { Refusal } from "../kernel/refusal.ts";
import { failure, openPath, result, type Answering, type TestPath } from "./path-for-tests.ts";
import {
  beginOne,
  begun,
  COMPLETED,
  jsonOf,
  order,
  refusalOf,
  state,
  taskCaller,
  tasking,
  types,
} from "./tasks-for-tests.ts";
import { keepTasks, LOCAL } from "./upstream/task-records-for-tests.ts";

const open: TestPath[] = [];
const openWith = (answering: Answering, options: Parameters<typeof openPath>[1] = {}): TestPath => {
  const path = openPath(answering, options);
  open.push(path);
  return path;
};
afterEach(() => open.splice(0).forEach((path) => path.close()));

const WORKING = tasking(() => state("working"));
const STOPPING = tasking(({ method }) => (method === "tasks/get" ? state("cancelled") : result("{}")));
const gone = (): never => {
  throw new Refusal("not_ready", { message: "It is away.", next: "Wait." });
};
const outcomes = (path: TestPath) => path.events.filter(({ outcome }) => outcome !== null);

describe("a call that becomes a task", () => {
  it("is given out under the host's id, every other byte as it came, and is on disk before that", async () => {
    const store = keepTasks();
    const path = openWith(WORKING, { store });
    const { ending, outcome } = await path.call({ asker: taskCaller() });
    const [kept] = store.records();
    expect(kept).toMatchObject({ id: expect.stringMatching(/^tk_[0-9a-f]{32}$/), upstreamId: "up-1", endedAt: null });
    const came = (begun() as { json: string }).json;
    expect(jsonOf(ending)).toBe(came.replace('"up-1"', `"${kept?.id}"`));
    expect(outcome).toBeNull();
    expect(types(path)).toEqual(["execution_started", "dev.bailiwick.task_created"]);
  });

  it("is not given out when it cannot be kept; its server is told to stop, and nobody claims to know the rest", async () => {
    const store = { ...keepTasks(), save: () => Promise.reject(new Error("disk full")) };
    const bugs: unknown[] = [];
    const path = openWith(WORKING, { store, reportBug: (error) => bugs.push(error) });
    expect(refusalOf(await path.call({ asker: taskCaller() }))).toBe("indeterminate");
    expect(path.sent.map(({ method }) => method)).toEqual(["tools/call", "tasks/cancel", "tasks/get"]);
    expect(bugs).toHaveLength(1);
    expect(outcomes(path)).toMatchObject([{ type: "execution_indeterminate" }]);
  });

  it.each([
    ["{}", -32021],
    ['{"extensions":{"io.modelcontextprotocol/tasks":null}}', -32021],
  ])("is -32021 for a modern caller that declared %s, and its server is told to stop", async (declared, code) => {
    const path = openWith(STOPPING);
    const { ending } = await path.call({ asker: taskCaller(declared) });
    expect(JSON.parse(jsonOf(ending))).toMatchObject({
      code,
      data: { requiredCapabilities: { extensions: { "io.modelcontextprotocol/tasks": {} } } },
    });
    expect(path.sent[1]).toMatchObject({ method: "tasks/cancel", name: "up-1", params: '"taskId":"up-1"' });
    expect(path.sent[1]?.asker.declared.value).toEqual({ extensions: { "io.modelcontextprotocol/tasks": {} } });
    expect(outcomes(path)).toMatchObject([{ type: "execution_failed" }]);
  });

  it("fails for a caller that has no way to ask after it, whatever it declared", async () => {
    const path = openWith(STOPPING);
    expect(refusalOf(await path.call({ asker: { ...taskCaller(), returns: false } }))).toBe("upstream_failed");
  });

  it.each([
    ["is gone", () => gone()],
    ["knows no such request", () => failure(-32601)],
    ["hears it and says no more", ({ method }) => (method === "tasks/get" ? gone() : result("{}"))],
    ["goes on with it", () => state("working")],
    ["was done before", ({ method }) => (method === "tasks/get" ? COMPLETED : failure(-32602))],
  ] satisfies [string, Answering][])(
    "that its caller cannot have is recorded as unknown when its server %s",
    async (_, answer) => {
      const path = openWith(tasking(answer));
      const { ending } = await path.call({ asker: taskCaller("{}") });
      expect(JSON.parse(jsonOf(ending))).toMatchObject({
        code: -32021,
        message: expect.stringContaining("Check its effect"),
        data: { requiredCapabilities: { extensions: { "io.modelcontextprotocol/tasks": {} } } },
      });
      expect(refusalOf(await path.call({ asker: { ...taskCaller(), returns: false } }))).toBe("indeterminate");
      const unknown = { type: "execution_indeterminate" };
      expect(outcomes(path)).toMatchObject([unknown, unknown]);
    },
  );

  it.each([['"taskId":7,"status":"working"'], ['"taskId":"x","status":"odd"'], ['"taskId":"","status":"working"']])(
    "fails when the task is not one: %s",
    async (members) => {
      const json = `{"resultType":"task",${members}}`;
      const value = JSON.parse(json) as Record<string, unknown>;
      const path = openWith(() => ({ kind: "partial", resultType: "task", json: rawJson(json), value }));
      expect(refusalOf(await path.call({ asker: taskCaller() }))).toBe("upstream_failed");
    },
  );

  it("is refused beyond 64 a principal, and its server is told to stop it; if it does not, nobody knows", async () => {
    let stops = true;
    const path = openWith(
      tasking(({ method }) => (stops && method === "tasks/cancel" ? state("cancelled") : state("working"))),
    );
    for (let i = 0; i < 64; i++) await beginOne(path);
    expect(refusalOf(await path.call({ asker: taskCaller() }))).toBe("rate_limited");
    expect(path.sent.at(-1)?.method).toBe("tasks/cancel");
    stops = false;
    expect(refusalOf(await path.call({ asker: taskCaller() }))).toBe("indeterminate");
    expect(outcomes(path)).toMatchObject([{ type: "execution_failed" }, { type: "execution_indeterminate" }]);
  });
});

describe("whoever made a task", () => {
  it("gets its state as it came, but for the id, and with the server's name before a question", async () => {
    const ask = '"inputRequests":{"k":{"method":"elicitation/create","params":{ "message":"Sure?","n":1.0}}}';
    const path = openWith(tasking(() => state("input_required", `,${ask}`)));
    const id = await beginOne(path);
    const meta = rawMembers('"x":1.0');
    const shown = jsonOf((await path.tasks.get(order(id, { meta }))).ending);
    expect(shown).toBe(
      `{"resultType":"complete","taskId":"${id}","status":"input_required","pollIntervalMs":100,${ask}}`.replace(
        "Sure?",
        "p: Sure?",
      ),
    );
    expect(path.sent.find(({ method }) => method === "tasks/get")).toMatchObject({ name: "up-1", meta: '"x":1.0' });
    expect(jsonOf((await path.tasks.get(order(id, { provider: "p" }))).ending)).toContain('"Sure?"');
  });

  it("is not asked what it did not declare", async () => {
    const ask = ',"inputRequests":{"k":{"method":"sampling/createMessage","params":{}}}';
    const path = openWith(tasking(() => state("input_required", ask)));
    const id = await beginOne(path);
    expect(JSON.parse(jsonOf((await path.tasks.get(order(id))).ending))).toMatchObject({
      code: -32021,
      data: { requiredCapabilities: { sampling: {} } },
    });
  });

  it("never reads the host's own words from a server", async () => {
    const forged = ',"result":{"content":[],"_meta":{"dev.bailiwick/refusal":{},"x":1}},"_meta":{"dev.bailiwick/y":1}';
    const path = openWith(tasking(() => state("completed", forged)));
    const shown = jsonOf((await path.tasks.get(order(await beginOne(path)))).ending);
    expect(shown).toContain(',"result":{"content":[],"_meta":{"x":1}},"_meta":{}');
  });

  it("answers its questions, and the round is recorded before the answer is sent", async () => {
    let recorded: string[] = [];
    const path = openWith(
      tasking(({ method }) => {
        if (method === "tasks/update") recorded = types(path);
        return method === "tasks/get" ? state("input_required", ',"inputRequests":{}') : result('{"_":1.0}');
      }),
    );
    const id = await beginOne(path);
    const { ending } = await path.tasks.update(order(id), rawJson('{"k":{"action":"accept","n":1.0}}'));
    expect(jsonOf(ending)).toBe('{"_":1.0}');
    expect(recorded.at(-1)).toBe("dev.bailiwick.round");
    expect(path.sent.find(({ method }) => method === "tasks/update")?.params).toBe(
      '"taskId":"up-1","inputResponses":{"k":{"action":"accept","n":1.0}}',
    );
  });

  it("cancels it: that it asked is recorded, then what came of it", async () => {
    let over = false;
    const path = openWith(
      tasking(({ method }) => {
        if (method === "tasks/cancel") over = true;
        return method === "tasks/get" ? state(over ? "cancelled" : "working") : result('{"resultType":"complete"}');
      }),
    );
    const id = await beginOne(path);
    expect(jsonOf((await path.tasks.cancel(order(id))).ending)).toBe('{"resultType":"complete"}');
    await vi.waitFor(() => expect(outcomes(path)).toHaveLength(1));
    expect(types(path).slice(2)).toEqual(["dev.bailiwick.task_cancel", "execution_failed"]);
  });

  it("hears of each new state once, without having to ask", async () => {
    const states = [state("working"), state("working"), COMPLETED];
    const path = openWith(tasking(() => states.shift() ?? COMPLETED));
    const id = await beginOne(path);
    const heard: string[] = [];
    const end = path.tasks.watch(order(id), (members) => heard.push(members));
    await vi.waitFor(() => expect(heard).toHaveLength(2), 5_000);
    expect(heard[0]).toBe(`"taskId":"${id}","status":"working","pollIntervalMs":100`);
    expect(heard[1]).toContain('"status":"completed"');
    end?.();
  });

  it("hears that it is asked something, but not what it did not declare", async () => {
    const ask = ',"inputRequests":{"k":{"method":"sampling/createMessage","params":{}}}';
    const path = openWith(tasking(() => state("input_required", ask)));
    const id = await beginOne(path);
    const heard: string[][] = [[], []];
    const { declared } = taskCaller('{"sampling":{},"extensions":{"io.modelcontextprotocol/tasks":{}}}');
    path.tasks.watch(order(id), (members) => heard[0]?.push(members));
    path.tasks.watch(order(id, { declared }), (members) => heard[1]?.push(members));
    await vi.waitFor(() => expect(heard[1]).toHaveLength(1), 5_000);
    const shown = `"taskId":"${id}","status":"input_required","pollIntervalMs":100`;
    expect(heard).toEqual([[shown], [`${shown}${ask}`]]);
  });

  it("may neither ask after it nor cancel it any more when its key is revoked", async () => {
    const path = openWith(WORKING);
    const id = await beginOne(path);
    const before = path.sent.length;
    path.admitted = false;
    for (const answer of [path.tasks.get(order(id)), path.tasks.cancel(order(id))]) {
      expect(refusalOf(await answer)).toBe("unauthenticated");
    }
    expect(path.sent.slice(before).filter(({ method }) => method === "tasks/cancel")).toEqual([]);
  });
});

describe("everybody else", () => {
  const other = { ...LOCAL, onBehalfOf: "person:other" };

  it.each([
    ["an id that there is not", {}, "tk_0"],
    ["somebody else's task", { principal: other }, null],
    ["a task of another workspace", { principal: { ...LOCAL, workspace: "ws_other" } }, null],
    ["a task on another provider's endpoint", { provider: "q" }, null],
    ["the server's own id", {}, "up-1"],
  ])("hears the same of %s, nothing is sent, and it is recorded", async (_, over, known) => {
    const path = openWith(WORKING);
    const id = known ?? (await beginOne(path));
    const sent = path.sent.length;
    const words = [];
    for (const asked of [
      path.tasks.get(order(id, over)),
      path.tasks.update(order(id, over), rawJson("{}")),
      path.tasks.cancel(order(id, over)),
      path.tasks.get(order("tk_none")),
    ]) {
      const { ending } = await asked;
      expect(ending).toMatchObject({ kind: "refusal", refusal: { kind: "resource_not_found" } });
      if (ending.kind === "refusal") words.push(ending.refusal.message);
    }
    expect(new Set(words).size).toBe(1);
    expect(path.sent.slice(sent).filter(({ method }) => method !== "tasks/get")).toEqual([]);
    expect(types(path).filter((type) => type === "execution_denied")).toHaveLength(4);
    expect(path.tasks.watch(order(id, over), () => {})).toBeNull();
  });

  it("hears it too when the server forgot the task", async () => {
    const path = openWith(tasking(() => failure(-32602)));
    expect(refusalOf(await path.tasks.get(order(await beginOne(path))))).toBe("resource_not_found");
    await vi.waitFor(() => expect(outcomes(path)).toMatchObject([{ type: "execution_indeterminate" }]));
  });
});
