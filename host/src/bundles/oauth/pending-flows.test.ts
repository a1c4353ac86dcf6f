import { afterEach, describe, expect, it, vi } from "vitest";
import { PendingFlows, type PendingFlow } from "./pending-flows.ts";

const flow = (state: string): PendingFlow =>
  ({ provider: "p", owner: "o", account: {}, flow: { state: () => state } }) as unknown as PendingFlow;

afterEach(() => vi.useRealTimers());

describe("a way that a person is on", () => {
  it("is over after ten minutes", () => {
    vi.useFakeTimers();
    const pending = new PendingFlows();
    const browser = pending.add(flow("a"));
    vi.advanceTimersByTime(600_001);
    expect(pending.take("a", browser)).toBeNull();
  });

  it("is still there for its browser after a stranger tried", () => {
    const pending = new PendingFlows();
    const browser = pending.add(flow("a"));
    expect(pending.take("a", "x".repeat(browser.length))).toBeNull();
    expect(pending.take("a", "ü".repeat(browser.length))).toBeNull();
    expect(pending.take("b", browser)).toBeNull();
    expect(pending.take("a", browser)).toMatchObject({ provider: "p" });
    expect(pending.take("a", browser)).toBeNull();
  });

  it("gives way to newer ones beyond 256", () => {
    const pending = new PendingFlows();
    const first = pending.add(flow("0"));
    const others = Array.from({ length: 256 }, (_, each) => pending.add(flow(`${each + 1}`)));
    expect(pending.take("0", first)).toBeNull();
    expect(pending.take("256", others[255]!)).not.toBeNull();
  });
});
