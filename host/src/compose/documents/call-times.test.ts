import { describe, expect, it } from "vitest";
import { CallTimes } from "./call-times.ts";

const noted = (count: number, ms: (at: number) => number): CallTimes => {
  const times = new CallTimes();
  for (let at = 0; at < count; at++) times.note("demo__echo", ms(at));
  return times;
};

describe("the typical time of a tool", () => {
  it("is not told before 20 calls, and is half and nearly all of them from then on", () => {
    expect(noted(19, () => 7).typical("demo__echo")).toBe(null);
    expect(noted(20, (at) => at + 1).typical("demo__echo")).toBe("10-19");
    expect(noted(20, () => 7).typical("demo__other")).toBe(null);
  });

  it("forgets all but the last 100 calls", () => {
    const slowThenQuick = noted(250, (at) => (at < 150 ? 90_000 : at - 149));
    expect(slowThenQuick.typical("demo__echo")).toBe("50-95");
    slowThenQuick.note("demo__echo", 90_000);
    expect(slowThenQuick.typical("demo__echo")).toBe("51-96");
  });

  it("is in whole milliseconds, rounded up", () => {
    expect(noted(20, () => 0.04).typical("demo__echo")).toBe("1-1");
    expect(noted(30, (at) => (at < 20 ? 12.2 : 30)).typical("demo__echo")).toBe("13-30");
  });

  it("is kept for 10,000 tools; then the one that came first begins anew", () => {
    const times = noted(20, () => 5);
    for (let at = 0; at < 9_999; at++) times.note(`demo__${at}`, 1);
    expect(times.typical("demo__echo")).toBe("5-5");
    times.note("demo__one_more", 1);
    expect(times.typical("demo__echo")).toBe(null);
  });
});
