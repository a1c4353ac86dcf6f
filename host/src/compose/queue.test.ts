import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { ComposeError } from "./compose-error.ts";
import { Queue, QUEUE_LIMITS, type WorkKind } from "./queue.ts";

interface Task {
  readonly result: Promise<unknown>;
  readonly finish: (error?: Error) => void;
  readonly begun: () => boolean;
  readonly stop: AbortController;
  readonly given: () => AbortSignal | null;
}

const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

const put = (queue: Queue, kind: WorkKind = "generation", lane: string | null = null, owner = "person://ann"): Task => {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const stop = new AbortController();
  let given: AbortSignal | null = null;
  const run = (signal: AbortSignal): Promise<string> => {
    given = signal;
    return promise;
  };
  const result = queue.run({ kind, lane, owner, signal: stop.signal, run }).catch((error: unknown) => error);
  const finish = (error?: Error): void => (error === undefined ? resolve("done") : reject(error));
  return { result, finish, stop, begun: () => given !== null, given: () => given };
};

const putMany = (queue: Queue, count: number, kind?: WorkKind): Task[] =>
  Array.from({ length: count }, () => put(queue, kind));

const begun = (tasks: readonly Task[]): number => tasks.filter((task) => task.begun()).length;

describe("the queue of a workspace", () => {
  test("runs 8 generations and 4 assemblies at once, lets 100 wait, and tells the next when to come again", async () => {
    const queue = new Queue();
    const generations = putMany(queue, 8 + 60);
    const assemblies = putMany(queue, 4 + 40, "assembly");
    await settle();
    expect([begun(generations), begun(assemblies)]).toEqual([8, 4]);
    const refused = await put(queue).result;
    expect(refused).toMatchObject({ code: "queue_full", details: { retry_after_ms: expect.any(Number) } });
    expect((refused as ComposeError).details["retry_after_ms"]).toBeGreaterThan(0);
    for (const task of [...generations, ...assemblies]) task.finish();
    const results = await Promise.all([...generations, ...assemblies].map(({ result }) => result));
    expect(new Set(results)).toEqual(new Set(["done"]));
    const after = putMany(queue, 8);
    await settle();
    expect(begun(after)).toBe(8);
  });

  test("of those that wait, whose caller has the fewest running comes next, then in order", async () => {
    const queue = new Queue({ ...QUEUE_LIMITS, atOnce: { generation: 2, assembly: 1 } });
    const crowd = putMany(queue, 6);
    const [bob, again] = [
      put(queue, "generation", null, "person://bob"),
      put(queue, "generation", null, "person://bob"),
    ];
    await settle();
    expect(begun(crowd)).toBe(2);
    const end = async (task: Task | undefined): Promise<[number, boolean, boolean]> => {
      task?.finish();
      await task?.result;
      await settle();
      return [begun(crowd), bob.begun(), again.begun()];
    };
    expect(await end(crowd[0])).toEqual([2, true, false]);
    // One of each runs: the one that came first.
    expect(await end(crowd[1])).toEqual([3, true, false]);
    expect(await end(crowd[2])).toEqual([4, true, false]);
    expect(await end(bob)).toEqual([4, true, true]);
    expect(await end(again)).toEqual([5, true, true]);
  });

  test("begins in order, also after one that failed", async () => {
    const queue = new Queue({ ...QUEUE_LIMITS, atOnce: { generation: 1, assembly: 1 } });
    const [first, second, third] = putMany(queue, 3) as [Task, Task, Task];
    first.finish(new Error("no"));
    expect(await first.result).toEqual(new Error("no"));
    await settle();
    expect([second.begun(), third.begun()]).toEqual([true, false]);
    second.finish();
    await second.result;
    await settle();
    expect(third.begun()).toBe(true);
  });

  test("runs those of one lane one at a time, in order, and others meanwhile", async () => {
    const queue = new Queue();
    const lane = Array.from({ length: 10 }, () => put(queue, "generation", "mine"));
    const others = [put(queue, "generation", "yours"), ...putMany(queue, 6)];
    await settle();
    expect([begun(lane), begun(others)]).toEqual([1, 7]);
    for (const [at, task] of lane.entries()) {
      await settle();
      expect(begun(lane)).toBe(at + 1);
      task.finish();
      await task.result;
    }
  });

  test("forgets one that is cancelled while it waits", async () => {
    const queue = new Queue({ atOnce: { generation: 1, assembly: 1 }, waiting: 1, longestMs: 60_000 });
    const [running, waiting] = putMany(queue, 2) as [Task, Task];
    waiting.stop.abort(new Error("not wanted"));
    expect(await waiting.result).toEqual(new Error("not wanted"));
    const next = put(queue);
    running.finish();
    await running.result;
    await settle();
    expect([waiting.begun(), next.begun()]).toEqual([false, true]);
  });

  test("never begins one that was cancelled before, or just as its place became free", async () => {
    const queue = new Queue({ ...QUEUE_LIMITS, atOnce: { generation: 1, assembly: 1 } });
    const stop = new AbortController();
    stop.abort(new Error("over"));
    const run = (): Promise<never> => Promise.reject(new Error("ran"));
    const early = queue.run({ kind: "generation", lane: null, owner: "person://ann", signal: stop.signal, run });
    await expect(early).rejects.toThrow("over");
    const [running, waiting] = putMany(queue, 2) as [Task, Task];
    running.finish();
    void running.result.then(() => waiting.stop.abort(new Error("late")));
    await settle();
    waiting.finish();
    await waiting.result;
    const after = put(queue);
    await settle();
    expect(after.begun()).toBe(true);
  });

  test("tells what runs when it is cancelled, and gives its place away when it has ended", async () => {
    const queue = new Queue({ ...QUEUE_LIMITS, atOnce: { generation: 1, assembly: 1 } });
    const [running, waiting] = putMany(queue, 2) as [Task, Task];
    await settle();
    running.stop.abort(new Error("stop"));
    expect(running.given()?.reason).toEqual(new Error("stop"));
    await settle();
    expect(waiting.begun()).toBe(false);
    running.finish(new Error("stopped"));
    expect(await running.result).toEqual(new Error("stopped"));
    await settle();
    expect(waiting.begun()).toBe(true);
  });

  test("lets nothing run longer than its limit, even what does not listen", async () => {
    const queue = new Queue({ atOnce: { generation: 1, assembly: 1 }, waiting: 5, longestMs: 20 });
    const generation = put(queue);
    const assembly = put(queue, "assembly");
    expect(await generation.result).toMatchObject({ code: "generation_timeout", details: { timeout_ms: 20 } });
    expect(await assembly.result).toMatchObject({ code: "assembly_failed" });
    expect(generation.given()?.aborted).toBe(true);
    const next = put(queue);
    await settle();
    expect(next.begun()).toBe(true);
    next.finish();
    expect(await next.result).toBe("done");
  });

  test("never runs more than it may, and in the end all that was let in has run", async () => {
    const orders = fc.array(
      fc.record({
        kind: fc.constantFrom<WorkKind>("generation", "assembly"),
        lane: fc.constantFrom(null, "a", "b"),
        owner: fc.constantFrom("person://ann", "person://bob"),
        turns: fc.nat(3),
      }),
      { maxLength: 40 },
    );
    await fc.assert(
      fc.asyncProperty(orders, async (works) => {
        const queue = new Queue({ atOnce: { generation: 3, assembly: 2 }, waiting: 20, longestMs: 60_000 });
        const now: Record<string, number> = {};
        const most: Record<string, number> = {};
        const count = (name: string, by: number): void => {
          now[name] = (now[name] ?? 0) + by;
          most[name] = Math.max(most[name] ?? 0, now[name]);
        };
        const results = works.map(({ kind, lane, owner, turns }) =>
          queue
            .run({
              kind,
              lane,
              owner,
              signal: new AbortController().signal,
              run: async () => {
                for (const name of [kind, `lane ${lane}`]) count(name, 1);
                for (let turn = 0; turn < turns; turn++) await settle();
                for (const name of [kind, `lane ${lane}`]) count(name, -1);
                return "done";
              },
            })
            .catch((error: unknown) => (error as ComposeError).code),
        );
        const ends = await Promise.all(results);
        expect(most["generation"] ?? 0).toBeLessThanOrEqual(3);
        expect(most["assembly"] ?? 0).toBeLessThanOrEqual(2);
        expect(Math.max(most["lane a"] ?? 0, most["lane b"] ?? 0)).toBeLessThanOrEqual(1);
        expect(ends.every((end) => end === "done" || end === "queue_full")).toBe(true);
        expect(ends.slice(0, 20).every((end) => end === "done")).toBe(true);
      }),
      { numRuns: 50 },
    );
  });
});
