import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { giveBackWith } from "./give-back-memory.ts";

const MB = 1024 * 1024;

const watch = () => {
  const state = { busy: 1, usedBytes: 20 * MB, heldBytes: 40 * MB, collected: 0 };
  giveBackWith({
    collect: () => void state.collected++,
    heap: () => state,
    busyShare: () => state.busy,
  });
  return state;
};

describe("a thread gives memory back", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  test("soon after its start, once that is done", () => {
    const state = watch();
    vi.advanceTimersByTime(1_000);
    expect(state.collected).toBe(0);
    state.busy = 0.01;
    vi.advanceTimersByTime(500);
    expect(state.collected).toBe(1);
    vi.advanceTimersByTime(600_000);
    expect(state.collected).toBe(1);
  });

  test("after a rest of half a minute, each time that it has worked", () => {
    const state = watch();
    for (let round = 0; round < 3; round++) {
      state.busy = 1;
      vi.advanceTimersByTime(10_000);
      state.busy = 0;
      vi.advanceTimersByTime(25_000);
      expect(state.collected).toBe(round);
      vi.advanceTimersByTime(60_000);
      expect(state.collected).toBe(round + 1);
    }
  });

  test("not in the pauses of its work", () => {
    const state = watch();
    for (let second = 0; second < 300; second++) {
      state.busy = second % 20 < 10 ? 1 : 0;
      vi.advanceTimersByTime(1_000);
    }
    expect(state.collected).toBe(0);
  });

  test.each([
    ["nothing worth it is unused", { usedBytes: 38 * MB, heldBytes: 40 * MB }],
    ["collecting would take long", { usedBytes: 65 * MB, heldBytes: 200 * MB }],
  ])("unless %s", (_, heap) => {
    const state = Object.assign(watch(), heap, { busy: 0 });
    vi.advanceTimersByTime(120_000);
    expect(state.collected).toBe(0);
  });
});
