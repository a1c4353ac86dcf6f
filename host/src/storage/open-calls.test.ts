import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { CARRY_AFTER, OpenCalls } from "./open-calls.ts";

const step = fc.record({ key: fc.constantFrom("a", "b", "c"), starts: fc.boolean() });

describe("open calls", () => {
  it("come out the same when the log is read again from the lowest open one", () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
        const live = new OpenCalls();
        const replay = new OpenCalls();
        const run = (calls: OpenCalls, from: number): void => {
          for (const [i, { key, starts }] of steps.entries()) {
            if (i < from) continue;
            if (starts) calls.start(key, i);
            else calls.end(key);
          }
        };
        run(live, 0);
        run(replay, live.lowest() ?? steps.length);
        expect(replay.sequences()).toEqual(live.sequences());
        expect(live.sequences()[0] ?? null).toBe(live.lowest());
      }),
    );
  });

  it("are carried once they are old, and the carried row goes when they end", () => {
    const calls = new OpenCalls();
    calls.start("old", 1);
    calls.start("young", 2);
    expect(calls.carryNext(CARRY_AFTER)).toBeNull();
    expect(calls.carryNext(CARRY_AFTER + 1)).toEqual({ key: "old", sequence: 1 });
    expect(calls.lowest()).toBe(2);
    expect(calls.has("old")).toBe(true);
    expect(calls.sequences()).toEqual([1, 2]);
    expect(calls.end("old")).toBe(1);
    expect(calls.end("young")).toBeNull();
    expect(calls.end("young")).toBeNull();
    expect(calls.has("old")).toBe(false);
  });
});
