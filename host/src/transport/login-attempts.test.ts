import { describe, expect, it } from "vitest";
import { LoginAttempts, MOST_FAILED } from "./login-attempts.ts";

const refused = (attempts: LoginAttempts, source: string): boolean => {
  try {
    attempts.check(source);
    return false;
  } catch {
    return true;
  }
};

describe("wrong keys at the login", () => {
  it("make their address wait for the rest of the minute, and no other", () => {
    let now = 0;
    const attempts = new LoginAttempts(() => now);
    for (let n = 0; n < MOST_FAILED; n++) {
      expect(refused(attempts, "a")).toBe(false);
      attempts.failed("a");
    }
    expect([refused(attempts, "a"), refused(attempts, "b")]).toEqual([true, false]);
    now = 59_999;
    expect(refused(attempts, "a")).toBe(true);
    now = 60_000;
    expect(refused(attempts, "a")).toBe(false);
    attempts.failed("a");
    expect(refused(attempts, "a")).toBe(false);
  });

  it("say how long to wait", () => {
    const attempts = new LoginAttempts(() => 0);
    for (let n = 0; n < MOST_FAILED; n++) attempts.failed("a");
    expect(() => attempts.check("a")).toThrow(expect.objectContaining({ kind: "rate_limited", retryAfterMs: 60_000 }));
  });

  it("from very many addresses are forgotten, the oldest first", () => {
    const attempts = new LoginAttempts(() => 0);
    for (let n = 0; n < MOST_FAILED; n++) attempts.failed("first");
    for (let n = 0; n < 9_999; n++) attempts.failed(`s${n}`);
    expect(refused(attempts, "first")).toBe(true);
    attempts.failed("one more");
    expect(refused(attempts, "first")).toBe(false);
  });
});
