import fc from "fast-check";
import { setImmediate as turn } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { Turns, type Lane } from "./turns.ts";

const open = new AbortController().signal;

describe("the calls of one package", () => {
  test("run sixteen at a time, and the next one when one has ended", async () => {
    const turns = new Turns();
    const leaves = await Promise.all(Array.from({ length: 16 }, () => turns.enter("any", open)));
    let entered = false;
    const waiting = turns.enter("any", open).then((leave) => {
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
    const first = await turns.enter("main", open);
    const order: string[] = [];
    const enter = async (name: string, lane: Lane): Promise<void> => {
      const leave = await turns.enter(lane, open);
      order.push(name);
      leave();
    };
    const all = [enter("a", "main"), enter("b", "main"), enter("free", "any"), enter("c", "main")];
    await all[2];
    expect(order).toEqual(["free"]);
    first();
    await Promise.all(all);
    expect(order).toEqual(["free", "a", "b", "c"]);
  });

  test("leave when nobody wants them any more, and the next one gets the turn", async () => {
    const turns = new Turns();
    const first = await turns.enter("main", open);
    const abort = new AbortController();
    const given = turns.enter("main", abort.signal);
    const last = turns.enter("main", open);
    abort.abort();
    await expect(given).rejects.toMatchObject({ kind: "cancelled", details: { effect: "none" } });
    first();
    (await last)();
    await expect(turns.enter("any", abort.signal)).rejects.toMatchObject({ kind: "cancelled" });
  });

  test("are turned away when too many wait", async () => {
    const turns = new Turns();
    const first = await turns.enter("main", open);
    const abort = new AbortController();
    const waiting = Array.from({ length: 1_000 }, () => turns.enter("main", abort.signal).catch(() => null));
    await expect(turns.enter("main", open)).rejects.toMatchObject({
      kind: "not_ready",
      details: { error: "queue_full" },
    });
    abort.abort();
    await Promise.all(waiting);
    first();
    (await turns.enter("main", open))();
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
          const entering = turns.enter(lane, abort.signal);
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
