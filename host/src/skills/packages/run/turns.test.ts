import fc from "fast-check";
import { setImmediate as turn } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { Turns, type Lane } from "./turns.ts";

const open = new AbortController().signal;
const HOUR_MS = 3_600_000;
const enter = (turns: Turns, lane: Lane, signal = open): Promise<() => void> =>
  turns.enter({ lane, signal, limitMs: HOUR_MS });

describe("the calls of one package", () => {
  test("run sixteen at a time, and the next one when one has ended", async () => {
    const turns = new Turns();
    const leaves = await Promise.all(Array.from({ length: 16 }, () => enter(turns, "any")));
    let entered = false;
    const waiting = enter(turns, "any").then((leave) => {
      entered = true;
      return leave;
    });
    await turn();
    expect(entered).toBe(false);
    leaves[3]?.();
    (await waiting)();
    expect(entered).toBe(true);
  });

  test("that say main run one after another in the order in which they came, and keep nobody else waiting", async () => {
    const turns = new Turns();
    const first = await enter(turns, "main");
    const order: string[] = [];
    const run = async (name: string, lane: Lane): Promise<void> => {
      const leave = await enter(turns, lane);
      order.push(name);
      leave();
    };
    const all = [run("a", "main"), run("b", "main"), run("free", "any"), run("c", "main")];
    await all[2];
    expect(order).toEqual(["free"]);
    first();
    await Promise.all(all);
    expect(order).toEqual(["free", "a", "b", "c"]);
  });

  test("leave when nobody wants them any more, and the next one gets the turn", async () => {
    const turns = new Turns();
    const first = await enter(turns, "main");
    const abort = new AbortController();
    const given = enter(turns, "main", abort.signal);
    const last = enter(turns, "main");
    abort.abort();
    await expect(given).rejects.toMatchObject({ kind: "cancelled", details: { effect: "none" } });
    first();
    (await last)();
    await expect(enter(turns, "any", abort.signal)).rejects.toMatchObject({ kind: "cancelled" });
  });

  test("that have waited as long as they may take leave too, and may come again", async () => {
    const turns = new Turns();
    const first = await enter(turns, "main");
    const short = { lane: "main", signal: open, limitMs: 20 } as const;
    const last = enter(turns, "main");
    await expect(turns.enter(short)).rejects.toMatchObject({
      kind: "not_ready",
      details: { error: "waited_too_long", effect: "none" },
      retryAfterMs: expect.any(Number),
    });
    first();
    (await last)();
    (await turns.enter(short))();
  });

  test("are turned away when too many wait", async () => {
    const turns = new Turns();
    const first = await enter(turns, "main");
    const abort = new AbortController();
    const waiting = Array.from({ length: 1_000 }, () => enter(turns, "main", abort.signal).catch(() => null));
    await expect(enter(turns, "main")).rejects.toMatchObject({
      kind: "not_ready",
      details: { error: "queue_full" },
    });
    abort.abort();
    await Promise.all(waiting);
    first();
    (await enter(turns, "main"))();
  });

  test("never exceed their places and all come to their turn, whatever comes and goes", async () => {
    const step = fc.record({ lane: fc.constantFrom<Lane>("any", "main"), cancel: fc.boolean(), pause: fc.nat(3) });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 60 }), async (steps) => {
        const turns = new Turns();
        const running = { any: 0, main: 0 };
        let ended = 0;
        const calls = steps.map(async ({ lane, cancel, pause }) => {
          const abort = new AbortController();
          const entering = enter(turns, lane, abort.signal);
          if (cancel) void turn().then(() => abort.abort());
          try {
            const leave = await entering;
            running[lane]++;
            expect(running.main).toBeLessThanOrEqual(1);
            expect(running.any + running.main).toBeLessThanOrEqual(16);
            for (let i = 0; i < pause; i++) await turn();
            running[lane]--;
            leave();
          } catch (no) {
            expect(no).toMatchObject({ kind: "cancelled" });
            expect(cancel).toBe(true);
          }
          ended++;
        });
        await Promise.all(calls);
        expect(ended).toBe(steps.length);
      }),
      { numRuns: 50 },
    );
  });
});
