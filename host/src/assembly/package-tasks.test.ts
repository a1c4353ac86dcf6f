/** Tools of skill packages that take long, over the real call path and real processes. */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { caller, openPath, type TestPath } from "../call/path-for-tests.ts";
import { beginOne, jsonOf, order, refusalOf, taskCaller } from "../call/tasks-for-tests.ts";
import {
  callOf,
  openPackage,
  type OpenedPackage,
  type PackageMore,
  type ScriptTool,
} from "./package-scripts-for-tests.ts";

interface World extends OpenedPackage {
  readonly path: TestPath;
}

/** The path's one tool is called `t`, and so is the package's. */
const openWorld = (tool: ScriptTool, more: PackageMore = {}): World => {
  const kit = openPackage({ t: { execution: "async", ...tool } }, more);
  const path = openPath((request) => kit.provider.send(request));
  onTestFinished(() => path.close());
  return { ...kit, path };
};

const outcomes = ({ path }: World): TestPath["events"] => path.events.filter(({ outcome }) => outcome !== null);
const untilEnded = (world: World): Promise<void> =>
  vi.waitFor(() => expect(outcomes(world)).toHaveLength(1), { timeout: 20_000, interval: 50 });
const stateOf = async ({ path }: World, id: string): Promise<Record<string, unknown>> =>
  JSON.parse(jsonOf((await path.tasks.get(order(id))).ending)) as Record<string, unknown>;
const untilBegun = ({ dataDir }: World): Promise<void> =>
  vi.waitFor(() => expect(existsSync(join(dataDir, "begun"))).toBe(true), { timeout: 20_000 });

describe("a tool that says async", () => {
  test("is a task for who takes one: begun at once, followed to its end, and its outcome recorded once", async () => {
    const world = openWorld({ text: "touch begun; while [ ! -e go ]; do sleep 0.05; done; echo '{\"n\":1.50}'" });
    const id = await beginOne(world.path);
    expect(await stateOf(world, id)).toMatchObject({
      taskId: id,
      status: "working",
      ttlMs: 3_600_000,
      pollIntervalMs: 1_000,
    });
    expect(outcomes(world)).toEqual([]);
    await untilBegun(world);
    writeFileSync(join(world.dataDir, "go"), "");
    await untilEnded(world);
    expect(outcomes(world)[0]).toMatchObject({ type: "execution_completed" });
    const { ending } = await world.path.tasks.get(order(id));
    expect(jsonOf(ending)).toContain('"structuredContent":{"n":1.50}');
    expect(JSON.parse(jsonOf(ending))).toMatchObject({ status: "completed", result: { resultType: "complete" } });
  });

  test("is an ordinary call for everybody else", async () => {
    const world = openWorld({ text: "echo '{\"n\":1}'" });
    for (const asker of [caller("{}", undefined, true), taskCaller("{}"), caller("{}")]) {
      const { ending } = await world.path.call({ asker });
      expect(JSON.parse(jsonOf(ending))).toMatchObject({ structuredContent: { n: 1 } });
    }
  });

  test("whose script fails has completed with an error", async () => {
    const world = openWorld({ text: "echo no >&2; exit 2" });
    const id = await beginOne(world.path);
    await untilEnded(world);
    expect(outcomes(world)[0]).toMatchObject({ type: "execution_failed" });
    expect(await stateOf(world, id)).toMatchObject({
      status: "completed",
      result: { isError: true, structuredContent: { error: "exit_code", code: 2 } },
    });
  });

  test("that takes too long has failed, and it is said what that means", async () => {
    const world = openWorld({ text: "sleep 600", timeoutS: 0.3 });
    const id = await beginOne(world.path);
    await untilEnded(world);
    expect(outcomes(world)[0]).toMatchObject({ type: "execution_failed" });
    expect(await stateOf(world, id)).toMatchObject({
      status: "failed",
      error: { code: -32603, data: { kind: "timed_out", effect: "unknown", remedy: expect.any(String) } },
    });
  });

  test("is ended by who cancels its task, with its process", async () => {
    const world = openWorld({ text: "echo $$ > begun; sleep 600" });
    const id = await beginOne(world.path);
    await untilBegun(world);
    await world.path.tasks.cancel(order(id));
    expect(existsSync(`/proc/${readFileSync(join(world.dataDir, "begun"), "utf8").trim()}`)).toBe(false);
    await untilEnded(world);
    expect(outcomes(world)[0]).toMatchObject({ type: "execution_failed" });
    expect(outcomes(world)[0]?.error).toContain("cancelled");
    expect(await stateOf(world, id)).toMatchObject({ status: "cancelled" });
  });

  test("is ended with its package, and then nobody is left waiting", async () => {
    const world = openWorld({ text: "echo $$ > begun; sleep 600" });
    await beginOne(world.path);
    await untilBegun(world);
    await world.provider.close();
    expect(existsSync(`/proc/${readFileSync(join(world.dataDir, "begun"), "utf8").trim()}`)).toBe(false);
    await untilEnded(world);
  });

  test("of a package that was changed is refused, and makes no task", async () => {
    const world = openWorld({ text: "touch begun" }, { isIntact: () => Promise.resolve(false) });
    expect(refusalOf(await world.path.call({ asker: taskCaller() }))).toBe("definition_changed");
    expect(existsSync(join(world.dataDir, "begun"))).toBe(false);
  });

  test("is unknown after a restart of the host, so that its outcome is recorded as unknown", async () => {
    const before = openPackage({ t: { text: "echo 1", execution: "async" } });
    const after = openPackage({ t: { text: "echo 1", execution: "async" } });
    const path = openPath(({ method, ...request }) => {
      const { provider } = method === "tools/call" ? before : after;
      return provider.send({ ...request, method });
    });
    onTestFinished(() => path.close());
    const world = { ...after, path };
    await beginOne(path);
    await untilEnded(world);
    expect(outcomes(world)[0]).toMatchObject({ type: "execution_indeterminate" });
    expect(outcomes(world)[0]?.error).toContain("task_lost");
  });

  test("makes no more tasks than are kept", async () => {
    const { provider } = openPackage({ t: { text: "sleep 600", execution: "async" } });
    const asker = taskCaller();
    for (let count = 0; count < 200; count++) await provider.send(callOf("t", "{}", { asker }));
    await expect(provider.send(callOf("t", "{}", { asker }))).rejects.toMatchObject({
      kind: "not_ready",
      details: { error: "too_many_tasks" },
    });
  });
});
