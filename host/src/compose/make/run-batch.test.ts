import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { CalledOn } from "../workbench.ts";
import { runBatch, type Batch } from "./run-batch.ts";

const OK: CalledOn = { ok: true, value: {} };
const failed = (code: string, details = {}): CalledOn => ({ ok: false, code, message: code, details });
const settle = (): Promise<void> => new Promise((done) => setImmediate(done));

const run = (over: Partial<Batch<number>> & Pick<Batch<number>, "call">) =>
  runBatch({
    items: [0, 1, 2, 3, 4],
    workers: 2,
    continueOnError: true,
    beginForMs: 5_000,
    signal: new AbortController().signal,
    ...over,
  });

describe("a batch", () => {
  test("keeps its workers busy, never has more at work, and answers in the order of the items", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.nat(3), { minLength: 1, maxLength: 12 }),
        fc.integer({ min: 1, max: 5 }),
        async (turns, workers) => {
          let [now, most] = [0, 0];
          const call = async (at: number): Promise<CalledOn> => {
            most = Math.max(most, ++now);
            for (let i = 0; i < turns[at]!; i++) await settle();
            now--;
            return { ok: true, value: { at } };
          };
          const { rows } = await run({ items: turns.map((_, at) => at), workers, call });
          expect(rows.map(({ outcome }) => outcome)).toEqual(turns.map((_, at) => ({ ok: true, value: { at } })));
          expect(most).toBeLessThanOrEqual(workers);
        },
      ),
      { numRuns: 30 },
    );
  });

  test("measures its efficiency: one of two workers that has nothing to do halves it", async () => {
    const { promise, resolve } = Promise.withResolvers<CalledOn>();
    setTimeout(() => resolve(OK), 30);
    const { efficiency } = await run({ items: [0, 1], call: (at) => (at === 0 ? promise : Promise.resolve(OK)) });
    expect(efficiency).toBeGreaterThan(0);
    expect(efficiency).toBeLessThan(0.9);
  });

  test("tries again what found the queue full, and nothing else", async () => {
    const calls: number[] = [];
    const call = (at: number): Promise<CalledOn> => {
      calls.push(at);
      if (at === 1) return Promise.resolve(failed("generation_failed", { retry_after_ms: 1 }));
      const isFirst = calls.filter((each) => each === at).length === 1;
      return Promise.resolve(isFirst ? failed("queue_full", { retry_after_ms: 1 }) : OK);
    };
    const { rows } = await run({ items: [0, 1, 2], call });
    expect(rows.map(({ outcome }) => outcome?.ok)).toEqual([true, false, true]);
    expect(calls.toSorted((a, b) => a - b)).toEqual([0, 0, 1, 2, 2]);
  });

  test("does not wait for a queue beyond its time", async () => {
    const { rows } = await run({
      items: [0],
      call: () => Promise.resolve(failed("queue_full", { retry_after_ms: 9_999 })),
    });
    expect(rows).toMatchObject([{ outcome: { code: "queue_full" } }]);
  });

  test("begins nothing when its time is over", async () => {
    const { rows, efficiency } = await run({ beginForMs: 0, call: () => Promise.resolve(OK) });
    expect(rows.every(({ outcome }) => outcome === null)).toBe(true);
    expect(efficiency).toBe(0);
  });

  test("stops waiting for a queue when the caller gives up", async () => {
    const stop = new AbortController();
    const call = (): Promise<CalledOn> => {
      setImmediate(() => stop.abort(new Error("given up")));
      return Promise.resolve(failed("queue_full", { retry_after_ms: 4_000 }));
    };
    await expect(run({ call, signal: stop.signal })).rejects.toThrow("given up");
  });

  test("ends with a fault only when nothing runs any more", async () => {
    let isDone = false;
    const call = async (at: number): Promise<CalledOn> => {
      if (at === 0) throw new Error("a fault");
      await settle();
      isDone = true;
      return OK;
    };
    await expect(run({ call })).rejects.toThrow("a fault");
    expect(isDone).toBe(true);
  });
});
