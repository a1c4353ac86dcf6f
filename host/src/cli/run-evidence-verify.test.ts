import { describe, expect, it } from "vitest";
import type { Verification } from "../assembly/open-evidence.ts";
import { EXIT } from "./exit-code.ts";
import { exitCodeFor, type Demand } from "./run-evidence-verify.ts";

const CHECKS = {
  event_hashes: "pass",
  chain: "pass",
  payload_commitments: "pass",
  cover: "pass",
  root_hash: "absent",
  completeness: "absent",
  signature: "pass",
  key_id: "pass",
  key_pinned: "absent",
  host_identity: "pass",
  sequence: "pass",
  log: "pass",
} as const;
const signed: Verification = {
  valid: true,
  tier: "signed",
  scope: "log",
  hostId: "h",
  keyId: "k",
  count: 5,
  withheld: 0,
  purged: 0,
  unsigned: 0,
  compared: false,
  checks: CHECKS,
  firstBroken: null,
  unreadable: false,
};
const chain: Verification = { ...signed, tier: "hash-chain", checks: { ...CHECKS, signature: "absent" } };
const codeOf = (verification: Verification, demand: Partial<Demand> = {}): number =>
  exitCodeFor(verification, { tier: "signed", isFile: true, lenient: false, asked: false, ...demand });

describe("the exit code of evidence verify", () => {
  it("is 0 for what is valid at the tier that was asked for", () => {
    expect([codeOf(signed), codeOf(signed, { tier: "hash-chain" }), codeOf(chain, { tier: "hash-chain" })]).toEqual([
      0, 0, 0,
    ]);
  });

  it("is 1 for what is invalid and 2 for what is no evidence, whatever else", () => {
    expect(codeOf({ ...signed, valid: false })).toBe(EXIT.failed);
    expect(codeOf({ ...chain, valid: false, unreadable: true }, { tier: "hash-chain" })).toBe(EXIT.usage);
  });

  it("is 2 for a file without a record, at either tier, and 0 for a log that has none yet", () => {
    const empty: Verification = { ...chain, count: 0 };
    expect([codeOf(empty), codeOf(empty, { tier: "hash-chain" }), codeOf({ ...signed, count: 0 })]).toEqual([2, 2, 2]);
    expect(codeOf(empty, { isFile: false, lenient: true })).toBe(EXIT.done);
    expect(codeOf({ ...empty, valid: false })).toBe(EXIT.failed);
  });

  it("is 3 below the tier, with an unexpected key, and for a checkpoint that says nothing about it", () => {
    expect(codeOf(chain)).toBe(EXIT.refused);
    expect(codeOf({ ...signed, unsigned: 1 })).toBe(EXIT.refused);
    const foreign: Verification = { ...signed, checks: { ...CHECKS, key_pinned: "fail" } };
    expect([codeOf(foreign), codeOf(foreign, { tier: "hash-chain", lenient: true })]).toEqual([3, 3]);
    expect([codeOf(signed, { asked: true }), codeOf({ ...signed, compared: true }, { asked: true })]).toEqual([3, 0]);
  });

  it("allows a running host the records that it has not signed yet, and no more", () => {
    expect(codeOf({ ...signed, unsigned: 900 }, { lenient: true })).toBe(EXIT.done);
    expect(codeOf({ ...signed, unsigned: 90_000 }, { lenient: true })).toBe(EXIT.refused);
    expect(codeOf(chain, { lenient: true })).toBe(EXIT.done);
    expect(codeOf({ ...chain, count: 90_000 }, { lenient: true })).toBe(EXIT.refused);
    const stripped: Verification = { ...signed, tier: "hash-chain", checks: { ...CHECKS, host_identity: "absent" } };
    expect(codeOf(stripped, { lenient: true })).toBe(EXIT.refused);
  });
});
