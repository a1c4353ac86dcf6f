import { hash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { chunkSeqDigest } from "../kernel/chunk-digest.ts";
import { jcs } from "../kernel/jcs.ts";
import { isSignedBy, keyIdOf, signerOf } from "../kernel/signing.ts";
import { stable } from "../kernel/stable.ts";
import { SIGNER, testVector } from "./archive/signed-log-for-tests.ts";
import { leafHash } from "./tree/tree-hash.ts";
import { isIncluded, subtreesOfConsistency } from "./verify-evidence-proofs.ts";
import type { Json } from "./verify-evidence-text.ts";
import { verifyEvidence } from "./verify-evidence.ts";

interface Case {
  readonly name: string;
  readonly input: unknown;
  readonly expected_canon: string;
}

describe("the protocol's vectors", () => {
  it.each((testVector("chp/canon/cases.json") as unknown as { cases: Case[] }).cases)(
    "chp-stable-v1: $name",
    ({ input, expected_canon: expected }) => expect(stable(input)).toBe(expected),
  );

  it.each((testVector("chp/canon/cases-jcs.json") as unknown as { cases: Case[] }).cases)(
    "chp-jcs-v1: $name",
    ({ input, expected_canon: expected }) => expect(jcs(input)).toBe(expected),
  );

  it("one event, its chained hashes, the root and the signatures", () => {
    const { event } = testVector("chp/event.json") as { event: Json };
    const expected = testVector("chp/expected.json") as Json & { chained: Json };
    const own = { ...event, prev_hash: null, content_hash: expected["event_content_hash"] };
    expect(verifyEvidence([JSON.stringify(own)])).toMatchObject({ valid: true, checks: { event_hashes: "pass" } });
    expect(verifyEvidence([JSON.stringify({ ...own, event_id: "x" })]).valid).toBe(false);
    const { started_content_hash: first, completed_content_hash: second } = expected.chained;
    expect(hash("sha256", `${String(first)}\n${String(second)}\n`)).toBe(expected["root_hash"]);
    expect(signerOf(Buffer.from(String(expected["private_key_seed_hex"]), "hex")).publicKey).toBe(
      expected["public_key_b64"],
    );
    const bundle = testVector("chp/signed-bundle.json");
    expect((bundle["signature"] as Json)["signature"]).toBe(expected["signature_b64"]);
    expect(verifyEvidence([JSON.stringify(bundle)])).toMatchObject({ valid: true, tier: "signed" });
  });

  it("an event of the second hash scheme", () => {
    const { event, content_hash } = testVector("chp/event-hash-v2.json") as { event: Json; content_hash: string };
    expect(verifyEvidence([JSON.stringify({ ...event, prev_hash: null, content_hash })])).toMatchObject({
      valid: true,
      checks: { event_hashes: "pass", payload_commitments: "pass" },
    });
    const other = { ...event, prev_hash: null, content_hash, payload: {} };
    expect(verifyEvidence([JSON.stringify(other)]).checks.payload_commitments).toBe("fail");
  });

  it("the digest of a stream", () => {
    const { deltas, chunk_seq_digest: digest } = testVector("chp/chunk-seq.json") as {
      deltas: Json[];
      chunk_seq_digest: string;
    };
    expect(chunkSeqDigest(deltas)).toBe(digest);
  });
});

describe("this project's vectors", () => {
  const ours = testVector("bailiwick/evidence.json") as unknown as {
    public_key: string;
    key_id: string;
    events: Json[];
    covers: { canonical: string; sha256: string }[];
    merkle: {
      leaves_utf8_hex: string[];
      inclusion: Json;
      consistency_2_to_3: Json;
      consistency_1_to_3: Json;
      roots_by_size: Json;
    };
    store_head_v1_at_3: string;
    checkpoint: Json & { signature: Json };
    checkpoint_signed_bytes: string;
    call_digest: { document: Json; digest: string };
    grant: Json & { signature: Json; approver_identity: Json };
    jcs_numbers: { input: unknown; canonical: string }[];
  };

  it("covers, ids and the key", () => {
    for (const [i, event] of ours.events.entries()) {
      const { event_id: id, content_hash: _h, prev_hash: _p, payload: _b, ...cover } = event;
      expect(stable(cover)).toBe(ours.covers[i]?.canonical);
      expect(id).toBe(`evt_c1_${ours.covers[i]?.sha256}`);
    }
    expect([SIGNER.publicKey, keyIdOf(ours.public_key)]).toEqual([ours.public_key, ours.key_id]);
  });

  it("leaves, proofs and heads of the log", () => {
    const { leaves_utf8_hex: leaves, inclusion, roots_by_size: roots } = ours.merkle;
    for (const [i, event] of ours.events.entries()) {
      const id = String((event["correlation"] as Json)["correlation_id"]);
      const data = Buffer.from(leaves[i] ?? "", "hex");
      expect(leafHash(id, String(event["content_hash"]))).toEqual(
        hash("sha256", Buffer.concat([Buffer.alloc(1), data]), "buffer"),
      );
    }
    expect(isIncluded(inclusion, roots["3"])).toBe(true);
    expect(isIncluded({ ...inclusion, leaf_index: 0 }, roots["3"])).toBe(false);
    for (const proof of [ours.merkle.consistency_1_to_3, ours.merkle.consistency_2_to_3]) {
      expect(subtreesOfConsistency(proof)).not.toBe(null);
      expect(subtreesOfConsistency({ ...proof, first_root: roots["0"] })).toBe(null);
    }
    const heads = ours.events
      .slice(1)
      .map(
        (event) => `${String((event["correlation"] as Json)["correlation_id"])}\0${String(event["content_hash"])}\n`,
      );
    expect(hash("sha256", heads.join(""))).toBe(ours.store_head_v1_at_3);
  });

  it("the signed bytes of a checkpoint and of a grant", () => {
    const { public_key: key, signature, ...header } = ours.checkpoint;
    expect(stable(header)).toBe(ours.checkpoint_signed_bytes);
    expect(isSignedBy(key, stable(header), signature["signature"])).toBe(true);
    expect(SIGNER.sign(stable(header))).toBe(signature["signature"]);
    const { signature: by, approver_identity: identity, ...grant } = ours.grant;
    expect(isSignedBy(identity["public_key"], stable(grant), by["signature"])).toBe(true);
    expect(grant["payload_commitment"]).toBe(hash("sha256", stable(ours.call_digest.document["input"])));
  });

  it("the digest of a call and the numbers of RFC 8785", () => {
    expect(`sha256:${hash("sha256", jcs(ours.call_digest.document))}`).toBe(ours.call_digest.digest);
    for (const { input, canonical } of ours.jcs_numbers) expect(jcs(input)).toBe(canonical);
  });
});
