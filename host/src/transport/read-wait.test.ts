import { describe, expect, it } from "vitest";
import { readWait } from "./read-wait.ts";

describe("Prefer", () => {
  it.each([
    ["wait=5", 5000],
    ["respond-async, wait=10", 10_000],
    ["wait=7, respond-async", 7000],
    ['WAIT = "3" ; x=y', 3000],
    ["wait=300", 300_000],
    ["wait=999999999", 300_000],
    ["wait=0", 0],
  ])("%s waits for as long", (prefer, ms) => {
    expect(readWait({ prefer })).toBe(ms);
  });

  it.each([undefined, "", "wait", "wait=", "wait=-1", "wait=1.5", "wait=1s", "await=5", "wait=9999999999", "x;wait=5"])(
    "%s does not wait",
    (prefer) => {
      expect(readWait(prefer === undefined ? {} : { prefer })).toBe(0);
    },
  );
});
