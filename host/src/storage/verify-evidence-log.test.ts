import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { signerOf } from "../kernel/signing.ts";
import { stable } from "../kernel/stable.ts";
import {
  checkpointOf,
  identityOf,
  makeExport,
  makeLines,
  SIGNER,
  testVector,
  treeOf,
  type MadeEvent,
} from "./archive/signed-log-for-tests.ts";
import { contentHashOfLine, correlationOfLine } from "./event-line.ts";
import { leafHash } from "./tree/tree-hash.ts";
import { readExpectedKey } from "./verify-evidence-key.ts";
import type { Json } from "./verify-evidence-text.ts";
import { verifyEvidence } from "./verify-evidence.ts";

const manyOf = (count: number): MadeEvent[] =>
  Array.from({ length: count }, (_, i) => ({ correlation: `corr_${i % 4}` }));
const log = makeLines(manyOf(13));
const isAccepted = (lines: readonly string[]): boolean => {
  const { valid, tier } = verifyEvidence(lines);
  return valid && tier === "signed";
};
const SIGNED = { signature: "pass", key_id: "pass", host_identity: "pass", log: "pass", sequence: "pass" };

describe("verifying an export of the log", () => {
  it("accepts the whole log as signed", () => {
    expect(verifyEvidence(makeExport(log))).toMatchObject({
      valid: true,
      tier: "signed",
      scope: "log",
      count: 13,
      unsigned: 0,
      checks: SIGNED,
    });
  });

  it("recomputes the root that this project's vector was signed over", () => {
    const { events, checkpoint, bundle } = testVector("bailiwick/evidence.json") as Record<string, Json> & {
      events: Json[];
    };
    const header = {
      kind: "evidence-export",
      version: 1,
      host_id: "service-ops-host",
      canonicalization: "chp-stable-v1",
      scope: "log",
      identity: { public_key: bundle?.["public_key"], host_identity: bundle?.["host_identity"] },
    };
    const lines = [header, ...events, { count: 3, checkpoint }].map((each) => stable(each));
    expect(verifyEvidence(lines)).toMatchObject({ valid: true, tier: "signed", checks: SIGNED });
  });

  it("accepts every stretch of it, joined to the log by proofs", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 13 }),
        fc.integer({ min: 0, max: 12 }),
        fc.nat(13),
        (from, length, signed) => {
          const to = Math.min(13, from + length);
          const lines = makeExport(log, { from, to, signed: Math.max(to, signed) });
          expect(verifyEvidence(lines)).toMatchObject({ valid: true, tier: "signed", scope: "range", checks: SIGNED });
        },
      ),
      { numRuns: 200 },
    );
  });

  it("accepts one correlation by the inclusion of its last event", () => {
    const lines = makeExport(log, { correlation: "corr_2" });
    expect(verifyEvidence(lines)).toMatchObject({ valid: true, tier: "signed", scope: "correlation", count: 3 });
    const shorter = [...lines.slice(0, -2), (lines.at(-1) ?? "").replace('"count": 3', '"count": 2')];
    expect(verifyEvidence(shorter)).toMatchObject({ valid: false, checks: { log: "fail" } });
  });

  it("says how many of the latest events nobody has signed yet", () => {
    expect(verifyEvidence(makeExport(log, { signed: 9 }))).toMatchObject({
      valid: true,
      unsigned: 4,
      checks: { log: "pass" },
    });
  });

  it("sees a whole correlation taken out, however the rest is dressed up", () => {
    const rest = log.filter((line) => correlationOfLine(line) !== "corr_1");
    const [header = "", ...body] = makeExport(log);
    const trailer = (body.at(-1) ?? "").replace('"count": 13', `"count": ${rest.length}`);
    const cut = verifyEvidence([header, ...rest, trailer]);
    expect(cut).toMatchObject({ valid: false, checks: { sequence: "fail", log: "fail" } });
    // Written anew as a whole, by somebody who has another key.
    const forged = makeExport(makeLines(manyOf(13).filter((_, i) => i % 4 !== 1)), {
      signer: signerOf(Buffer.alloc(32, 9)),
    });
    const key = readExpectedKey(SIGNER.publicKey);
    if (key === null) throw new Error("no key");
    expect(verifyEvidence(forged, { key })).toMatchObject({ valid: true, checks: { key_pinned: "fail" } });
    // Written anew with the host's own key: only who kept a checkpoint sees it.
    const own = makeExport(makeLines(manyOf(13).filter((_, i) => i % 4 !== 1)));
    expect(isAccepted(own)).toBe(true);
    expect(verifyEvidence(own, { checkpoint: checkpointOf(log, 9) })).toMatchObject({
      valid: false,
      checks: { log: "fail" },
    });
  });

  it("sees the end cut off, even with a proof that the rest is the beginning of the log", () => {
    const [, ...part] = makeExport(log, { from: 1, to: 9 });
    const [header = ""] = makeExport(log);
    const cut = [header.replace('"to": 13', '"to": 9'), ...part];
    expect(part.at(-1)).toContain('"consistency"');
    expect(verifyEvidence(cut)).toMatchObject({ valid: false, scope: "log", checks: { log: "fail" } });
  });

  it("sees any single line removed, doubled or moved", () => {
    const lines = makeExport(log);
    const missed = lines.flatMap((line, i) => [
      ...(isAccepted(lines.toSpliced(i, 1)) && i > 0 ? [`without ${i}`] : []),
      ...(isAccepted(lines.toSpliced(i, 0, line)) ? [`twice ${i}`] : []),
      ...(i + 1 < lines.length && isAccepted(lines.toSpliced(i, 2, lines[i + 1] ?? "", line)) ? [`moved ${i}`] : []),
    ]);
    expect(missed).toEqual([]);
    // Without its header it is bare lines, of which nothing is signed.
    expect(isAccepted(lines.slice(1))).toBe(false);
  });

  it("sees every member of header, checkpoint and proofs changed that anything depends on", () => {
    const lines = makeExport(log, { from: 6, to: 10 });
    const [header = "", trailer = ""] = [lines[0], lines.at(-1)];
    const free = new Set(["exported_at", "version", "assurance", "key_id"]);
    const missed: string[] = [];
    const walk = (whole: Json, path: string[], test: (text: string) => boolean): void => {
      const at = path.reduce<unknown>((value, key) => (value as Json)[key], whole);
      if (typeof at === "object" && at !== null) {
        for (const key of Object.keys(at)) walk(whole, [...path, key], test);
        return;
      }
      const copy = structuredClone(whole) as Record<string, unknown>;
      const last = path.at(-1) ?? "";
      const parent = path.slice(0, -1).reduce<Record<string, unknown>>((value, key) => value[key] as never, copy);
      parent[last] = typeof at === "number" ? at + 1 : `${String(at)}0`;
      if (test(stable(copy)) && !(free.has(last) && path.length <= 2)) missed.push(path.join("."));
    };
    walk(JSON.parse(header) as Json, [], (text) => isAccepted([text, ...lines.slice(1)]));
    walk(JSON.parse(trailer) as Json, [], (text) => isAccepted([...lines.slice(0, -1), text]));
    // The document's own copy of the key is only a way from an expected one.
    expect(missed.filter((path) => path !== "identity.public_key")).toEqual([]);
  });
});

describe("a kept checkpoint", () => {
  it("must be one that the log goes on from", () => {
    const checkpoint = checkpointOf(log, 5);
    expect(verifyEvidence(makeExport(log), { checkpoint })).toMatchObject({ valid: true, compared: true });
    expect(verifyEvidence(log, { checkpoint })).toMatchObject({ valid: true, checks: { log: "pass" } });
    expect(verifyEvidence(makeExport(log, { from: 6 }), { checkpoint })).toMatchObject({ checks: { log: "pass" } });
    expect(verifyEvidence(log.slice(0, 4), { checkpoint })).toMatchObject({ valid: false, checks: { log: "fail" } });
    const other = makeLines(manyOf(13).toReversed());
    expect(verifyEvidence(other, { checkpoint })).toMatchObject({ valid: false, checks: { log: "fail" } });
  });

  it("counts for nothing when it is not signed or not one", () => {
    const good = checkpointOf(log, 5);
    const bad = [good.replace('"tree_size": 5', '"tree_size": 6'), "{}", "no", `[${good}]`, "[".repeat(9999)];
    for (const checkpoint of bad) {
      expect(verifyEvidence(log, { checkpoint })).toMatchObject({ valid: false, checks: { log: "fail" } });
    }
  });

  it("cannot be compared with one correlation, and then nothing is claimed", () => {
    const lines = makeExport(log, { correlation: "corr_2" });
    expect(verifyEvidence(lines, { checkpoint: checkpointOf(log, 5) })).toMatchObject({ valid: true, compared: false });
  });
});

describe("purged events", () => {
  const purge = { correlation: "host-retention-test-host", type: "evidence_purged" };
  const told = (count: number): string[] =>
    makeLines([...manyOf(6), { ...purge, more: { payload: { first_sequence: 2, last_sequence: 6, count } } }]);
  const gone = (lines: readonly string[], sequences: readonly number[]): string[] => {
    const leaf = (line: string): string => leafHash(correlationOfLine(line), contentHashOfLine(line)).toString("hex");
    const whole = makeExport(lines);
    return whole.map((line, i) => (sequences.includes(i) ? stable({ sequence: i, leaf: leaf(line) }) : line));
  };

  it("leave their hashes, and the log is still the one that was signed", () => {
    expect(verifyEvidence(gone(told(2), [2, 6]))).toMatchObject({
      valid: true,
      tier: "signed",
      purged: 2,
      checks: SIGNED,
    });
    const hidden = makeExport(told(2), { payloads: false });
    expect(hidden.filter((line) => line.includes("chp_withheld")).length).toBe(6);
  });

  it("are no way to hide others", () => {
    expect(verifyEvidence(gone(told(2), [2, 3, 6]))).toMatchObject({ valid: false, checks: { sequence: "fail" } });
    expect(verifyEvidence(gone(log, [2]))).toMatchObject({ valid: false });
    const [header = "", ...rest] = gone(told(2), [2, 6]);
    const forged = rest.map((line) => line.replace(/"leaf": "../, '"leaf": "00'));
    expect(verifyEvidence([header, ...forged])).toMatchObject({ valid: false, checks: { log: "fail" } });
  });
});

it("roots in memory are those of this project's vector", () => {
  const { events, merkle } = testVector("bailiwick/evidence.json") as unknown as {
    events: Json[];
    merkle: { roots_by_size: Record<string, string> };
  };
  const tree = treeOf(events.map(stable));
  for (const [size, root] of Object.entries(merkle.roots_by_size)) expect(tree.root(Number(size))).toBe(root);
  expect(identityOf(SIGNER)["key_id"]).toBe("56475aa75463474c");
});
