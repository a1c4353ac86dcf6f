import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { ChunkDigest, chunkSeqDigest } from "./chunk-digest.ts";

const VECTOR = JSON.parse(readFileSync(new URL("../../test/vectors/chp/chunk-seq.json", import.meta.url), "utf8")) as {
  readonly deltas: readonly unknown[];
  readonly chunk_seq_digest: string;
};

describe("the digest of a stream", () => {
  it("is the published one for the published pieces", () => {
    expect(chunkSeqDigest(VECTOR.deltas)).toBe(VECTOR.chunk_seq_digest);
  });

  it("is the same however far it was asked for on the way, and another for another order", () => {
    const digest = new ChunkDigest();
    for (const delta of VECTOR.deltas) {
      digest.add(delta);
      digest.value();
    }
    expect(digest.value()).toBe(VECTOR.chunk_seq_digest);
    expect(chunkSeqDigest(VECTOR.deltas.toReversed())).not.toBe(VECTOR.chunk_seq_digest);
  });
});
