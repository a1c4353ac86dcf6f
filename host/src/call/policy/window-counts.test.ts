import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { WindowCounts } from "./window-counts.ts";

const WINDOW = { name: "n", windowMs: 60_000 };

describe("counts in a window", () => {
  it("never let more than the limit into any window, whatever the times", () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 0, max: 30_000 }), { maxLength: 60 }),
        fc.integer({ min: 1, max: 5 }),
        (steps, limit) => {
          let now = 1_000_000;
          const counts = new WindowCounts([], () => now);
          const taken: number[] = [];
          for (const step of steps) {
            now += step;
            if (counts.used(WINDOW, "k", limit).used >= limit) continue;
            counts.take(WINDOW, "k");
            taken.push(now);
          }
          for (const start of taken)
            expect(taken.filter((at) => at >= start && at < start + 60_000).length).toBeLessThanOrEqual(limit);
        },
      ),
    );
  });

  it("say when there is a place again, and there is one then", () => {
    let now = 5_000_123;
    const counts = new WindowCounts([], () => now);
    for (let i = 0; i < 4; i++) {
      counts.take(WINDOW, "k");
      now += 7_000;
    }
    const { used, freeInMs } = counts.used(WINDOW, "k", 4);
    expect(used).toBe(4);
    now += freeInMs - 1;
    expect(counts.used(WINDOW, "k", 4).used).toBe(4);
    now += 1;
    expect(counts.used(WINDOW, "k", 4).used).toBeLessThan(4);
  });

  it("make no room when the clock is set back", () => {
    let now = 10_000_000;
    const counts = new WindowCounts([], () => now);
    counts.take(WINDOW, "k");
    now -= 3_600_000;
    counts.take(WINDOW, "k");
    expect(counts.used(WINDOW, "k", 1).used).toBe(2);
  });

  it("keep what was counted when a rule is given another window", () => {
    const counts = new WindowCounts([], () => 10_000_000);
    counts.take(WINDOW, "k");
    expect(counts.used({ name: "n", windowMs: 600_000 }, "k", 9).used).toBe(1);
  });

  it("take out what has run out while they count something else, of earlier runs too", () => {
    let now = 1_000_000;
    const counts = new WindowCounts(
      [
        ["old", '{"n":"gone","w":3000,"p":[1,5]}'],
        ["bad", "{"],
        ["odd", '{"n":1}'],
      ],
      () => now,
    );
    const removed = (key: string) => counts.take(WINDOW, key).writes.filter(({ value }) => value === null);
    expect(removed("a").map(({ key }) => key)).toEqual(["old", "bad", "odd"]);
    now += 70_000;
    expect(removed("b").map(({ key }) => key)).toEqual(["a"]);
  });
});
