/** What a verification has found so far: each check as pass, fail or absent, and the first thing that was wrong. */

/** In the order in which they are shown. */
export const CHECKS = [
  "event_hashes",
  "chain",
  "payload_commitments",
  "cover",
  "root_hash",
  "completeness",
  "signature",
  "key_id",
  "key_pinned",
  "host_identity",
  "sequence",
  "log",
] as const;
export type CheckName = (typeof CHECKS)[number];
export type CheckState = "pass" | "fail" | "absent";

export interface Broken {
  readonly sequence: number | null;
  readonly check: CheckName;
  readonly reason: string;
}

export class Findings {
  readonly checks = Object.fromEntries(CHECKS.map((name) => [name, "absent"])) as Record<CheckName, CheckState>;
  firstBroken: Broken | null = null;
  failures = 0;

  /** Null: it passes. */
  settle(check: CheckName, reason: string | null, sequence: number | null = null): void {
    if (reason !== null) this.fail(check, reason, sequence);
    else if (this.checks[check] === "absent") this.checks[check] = "pass";
  }

  fail(check: CheckName, reason: string, sequence: number | null = null): void {
    this.checks[check] = "fail";
    this.failures++;
    this.firstBroken ??= { sequence, check, reason };
  }
}
