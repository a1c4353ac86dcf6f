import { setImmediate } from "node:timers/promises";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { NumberedEvent } from "../../kernel/agent.ts";
import { createRuns, type LiveRun } from "./create-runs.ts";
import { delta, placeOf, readEvents, resultOf, toolDone } from "./runs-for-tests.ts";

const MIB = 1_048_576;
const never = (): AbortSignal => new AbortController().signal;
const idsOf = (events: readonly NumberedEvent[]): readonly number[] => events.map(({ id }) => id);
const typesOf = (events: readonly NumberedEvent[]): readonly string[] => events.map(({ event }) => event.type);
const count = (upTo: number): readonly number[] => Array.from({ length: upTo }, (_, at) => at + 1);

/** A client that loses the connection after so many events each time, and comes back with the last id it has seen. */
const reconnecting = async (run: LiveRun, cuts: readonly number[]): Promise<readonly NumberedEvent[]> => {
  const seen: NumberedEvent[] = [];
  const lastId = (): number => seen.at(-1)?.id ?? 0;
  for (const cut of cuts) {
    const gone = new AbortController();
    let left = cut;
    for await (const event of run.events(lastId(), gone.signal)) {
      seen.push(event);
      if (--left <= 0) gone.abort();
    }
    if (run.ended && left > 0) return seen;
    await setImmediate();
  }
  seen.push(...(await readEvents(run, lastId())));
  return seen;
};

describe("what a run tells", () => {
  it("reaches every client whole, in order and once, however often it loses the connection", async () => {
    const pauses = fc.array(fc.nat(2), { minLength: 1, maxLength: 40 });
    const clients = fc.array(fc.array(fc.integer({ min: 1, max: 7 }), { maxLength: 8 }), {
      minLength: 1,
      maxLength: 4,
    });
    await fc.assert(
      fc.asyncProperty(pauses, clients, async (steps, cuts) => {
        const run = createRuns().begin(placeOf("run_1"));
        const reading = cuts.map((each) => reconnecting(run, each));
        for (const [at, pause] of steps.entries()) {
          for (let turns = 0; turns < pause; turns++) await setImmediate();
          run.tell(delta(run.id, String(at)));
        }
        run.end(resultOf(run.id));
        for (const seen of await Promise.all(reading)) {
          expect(idsOf(seen)).toEqual(count(steps.length + 1));
          expect(seen.slice(0, -1).map(({ event }) => (event.type === "text.delta" ? event.text : null))).toEqual(
            steps.map((_, at) => String(at)),
          );
          expect(seen.at(-1)?.event.type).toBe("done");
        }
      }),
      { numRuns: 60 },
    );
  });

  it("waits for a client that reads slowly", async () => {
    const run = createRuns().begin(placeOf("run_1"));
    const slow = run.events(0, never());
    run.tell(delta(run.id, "a"));
    expect((await slow.next()).value).toMatchObject({ id: 1 });
    for (let at = 0; at < 1_000; at++) run.tell(delta(run.id, "b"));
    run.end(resultOf(run.id));
    const rest: NumberedEvent[] = [];
    for await (const event of slow) rest.push(event);
    expect(idsOf(rest)).toEqual(count(1_002).slice(1));
  });

  it("ends with one `done` or `error`, after which nothing is told", async () => {
    const run = createRuns().begin(placeOf("run_1"));
    run.end(resultOf(run.id, "first"));
    run.tell(delta(run.id, "late"));
    run.fail(new Error("late"));
    run.end(resultOf(run.id, "second"));
    const events = await readEvents(run);
    expect(typesOf(events)).toEqual(["done"]);
    expect(events[0]?.event).toMatchObject({ response: "first", runId: "run_1" });
    expect(await run.result).toMatchObject({ response: "first" });
  });

  it("is not ended by the end of a child", async () => {
    const run = createRuns().begin(placeOf("run_1"));
    run.tell({ ...resultOf("run_child"), type: "done", parentRunId: "run_1" });
    run.tell({ type: "error", runId: "run_child", parentRunId: "run_1", error: "model_failed", message: "no" });
    run.tell(delta(run.id, "more"));
    run.end(resultOf(run.id));
    expect(typesOf(await readEvents(run))).toEqual(["text.delta", "done"]);
  });

  it("is nothing for who has seen all of it, and what is to come for who claims to have seen more", async () => {
    const run = createRuns().begin(placeOf("run_1"));
    const ahead = readEvents(run, 2);
    run.tell(delta(run.id, "a"));
    run.tell(delta(run.id, "b"));
    run.tell(delta(run.id, "c"));
    run.end(resultOf(run.id));
    expect(idsOf(await ahead)).toEqual([3, 4]);
    expect(await readEvents(run, 4)).toEqual([]);
    expect(await readEvents(run, 1e9)).toEqual([]);
    for (const odd of [-5, Number.NaN, -Infinity]) expect(idsOf(await readEvents(run, odd))).toEqual([1, 2, 3, 4]);
  });

  it("keeps every event, and of results that are too much for one run only the newest whole", async () => {
    const run = createRuns({ maxRunBytes: MIB }).begin(placeOf("run_1"));
    const large = JSON.stringify({ content: [{ type: "text", text: "x".repeat(400_000) }] });
    for (let at = 0; at < 5; at++) {
      run.tell(delta(run.id, "a"));
      run.tell(toolDone(run.id, large));
    }
    expect(run.bytes).toBeLessThanOrEqual(MIB);
    run.end(resultOf(run.id));
    const events = await readEvents(run);
    expect(idsOf(events)).toEqual(count(11));
    const results = events.flatMap(({ event }) => (event.type === "tool.done" ? [event.resultJson] : []));
    expect(results.map((result) => result === large)).toEqual([false, false, false, true, true]);
    expect(JSON.parse(results[0] ?? "")).toMatchObject({
      content: [{ text: expect.stringContaining("not kept any more") }],
    });
  });

  it("takes no more of the progress of a server that never stops telling of it", async () => {
    const run = createRuns({ maxRunBytes: 10_000 }).begin(placeOf("run_1"));
    for (let at = 0; at < 1_000; at++) {
      run.tell({ type: "tool.progress", runId: run.id, id: "tc_1", progress: at, message: "m".repeat(100) });
    }
    run.tell(delta(run.id, "still told"));
    run.end(resultOf(run.id));
    const events = await readEvents(run);
    expect(events.length).toBeLessThan(100);
    expect(idsOf(events)).toEqual(count(events.length));
    expect(typesOf(events).slice(-2)).toEqual(["text.delta", "done"]);
  });

  it("weighs a result by its length, without looking into it", () => {
    const run = createRuns({ maxRunBytes: MIB }).begin(placeOf("run_1"));
    const deep = "[".repeat(300_000) + "]".repeat(300_000);
    run.tell(toolDone(run.id, deep));
    expect(run.bytes).toBeGreaterThan(600_000);
    run.tell(toolDone(run.id, deep));
    expect(run.bytes).toBeLessThan(MIB);
  });

  it("ends with `model_failed` where a model writes for ever, piece by piece", async () => {
    const run = createRuns({ maxRunBytes: 10_000 }).begin(placeOf("run_1"));
    let told = 0;
    const write = (): void => {
      for (; told < 10_000; told++) run.tell(delta(run.id, "a"));
    };
    expect(write).toThrow(expect.objectContaining({ kind: "model_failed", retryable: false }));
    expect(told).toBeLessThan(1_000);
    // Who drives it says so to its readers, and they miss nothing of what came before.
    run.tell(toolDone(run.id, "{}"));
    run.fail(new Error("over"));
    const events = await readEvents(run);
    expect(idsOf(events)).toEqual(count(told + 2));
  });
});
