/** What a verification is asked, what it has found so far, and what it answers. */
import type { ExpectedKey } from "./verify-evidence-key.ts";

/** In the order in which they are shown. */
const CHECKS = [
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
  /** The first thing that was wrong. */
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

/** What the events are said to be. In a correlation and in a bundle, sequences have gaps. */
export interface EvidencePart {
  readonly scope: "log" | "correlation" | "range" | "bundle";
  /** The first sequence of a range. */
  readonly from?: unknown;
  readonly correlationId?: unknown;
  readonly hostId?: unknown;
  /** How many events the log has before the first one here; absent: none. */
  readonly before?: number;
  /** The tree is noted as it is with so many events. */
  readonly markAt?: unknown;
}

export interface VerifyOptions {
  /** The key that must have signed; absent: any. */
  readonly key?: ExpectedKey;
  /** Further identity documents; they only show how the expected key leads to the one that signed. */
  readonly documents?: readonly ExpectedKey[];
  /** The text of a checkpoint that somebody kept: the log must be an extension of it. */
  readonly checkpoint?: string;
}

export interface Verification {
  /** No check failed. Whether the key is the expected one is told by `key_pinned` alone. */
  readonly valid: boolean;
  /** What was reached. `hash-chain` shows that a record was changed in part, not that it was rewritten as a whole. */
  readonly tier: "hash-chain" | "signed";
  /** What the text claims to be; lines without a header are taken for a whole log. */
  readonly scope: EvidencePart["scope"];
  readonly hostId: string | null;
  /** Computed from the key that signed. */
  readonly keyId: string | null;
  readonly count: number;
  /** Events whose payload was taken out or sealed; everything else about them is checked. */
  readonly withheld: number;
  /** Events of which only the hash is left; the log tells how many were purged, and it must be as many. */
  readonly purged: number;
  /** Events at the end that no signature covers. */
  readonly unsigned: number;
  /** The kept checkpoint could be compared; `log` says how that ended. */
  readonly compared: boolean;
  readonly checks: Readonly<Record<CheckName, CheckState>>;
  readonly firstBroken: Broken | null;
  /** There was text, and no event in it. */
  readonly unreadable: boolean;
}
