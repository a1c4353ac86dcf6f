import { describe, expect, it } from "vitest";
import type { Answer, RawCall } from "../../kernel/call.ts";
import { RunningCalls } from "./running-calls.ts";

const CALL = {} as RawCall;
const ANSWER = Promise.resolve({} as Answer);
/** All of one bucket. */
const KEYS = ["0123a", "0123b", "0123c"] as const;

describe("calls under way", () => {
  it("keeps those of one bucket apart, whichever of them ends first", () => {
    for (const gone of KEYS) {
      const running = new RunningCalls();
      for (const key of KEYS) running.add(key, CALL, ANSWER);
      running.delete(gone);
      expect(KEYS.map((key) => running.get(key)?.key ?? null)).toEqual(KEYS.map((key) => (key === gone ? null : key)));
    }
  });

  it("holds nothing of a key that it does not have", () => {
    const running = new RunningCalls();
    running.add(KEYS[0], CALL, ANSWER);
    running.delete(KEYS[1]);
    expect(running.get(KEYS[1])).toBeNull();
    expect(running.get(KEYS[0])).toMatchObject({ key: KEYS[0], call: CALL, answer: ANSWER });
    running.delete(KEYS[0]);
    expect(running.get(KEYS[0])).toBeNull();
  });
});
