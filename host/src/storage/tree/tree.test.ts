import { hash } from "node:crypto";
import { readFileSync } from "node:fs";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { consistencyPath } from "./consistency-path.ts";
import { inclusionPath } from "./inclusion-path.ts";
import { provesConsistency } from "./proves-consistency.ts";
import { provesInclusion } from "./proves-inclusion.ts";
import { rootOf, type SubtreeAt } from "./subtree.ts";
import { leafHash, nodeHash } from "./tree-hash.ts";

const vector = (name: string): any =>
  JSON.parse(readFileSync(new URL(`../../../test/vectors/${name}`, import.meta.url), "utf8"));
const bytes = (hex: string): Buffer => Buffer.from(hex, "hex");
const hex = (hashes: readonly Buffer[]): string[] => hashes.map((each) => each.toString("hex"));

const subtreesOf = (leaves: readonly Buffer[]): SubtreeAt => {
  const known = new Map<number, Buffer>();
  const at: SubtreeAt = (height, index) => {
    if (height === 0) return leaves[index] ?? Buffer.alloc(0);
    const place = height * 1000 + index;
    const root = known.get(place) ?? nodeHash(at(height - 1, 2 * index), at(height - 1, 2 * index + 1));
    known.set(place, root);
    return root;
  };
  return at;
};

/** RFC 6962, 2.1, word by word. */
const rootByDefinition = (leaves: readonly Buffer[]): Buffer => {
  if (leaves.length === 0) return hash("sha256", "", "buffer");
  if (leaves.length === 1) return leaves[0] ?? Buffer.alloc(0);
  let split = 1;
  while (split * 2 < leaves.length) split *= 2;
  return nodeHash(rootByDefinition(leaves.slice(0, split)), rootByDefinition(leaves.slice(split)));
};

const made = Array.from({ length: 300 }, (_, i) => leafHash(`corr_${i % 7}`, hash("sha256", String(i))));
const at = subtreesOf(made);
const roots = Array.from({ length: 301 }, (_, size) => rootOf(at, size));

describe("the log's tree", () => {
  it("has the leaves, roots and proofs of this project's vectors", () => {
    const { events, merkle } = vector("bailiwick/evidence.json");
    const leaves = events.map((event: any) => leafHash(event.correlation.correlation_id, event.content_hash));
    expect(hex(leaves)).toEqual(
      merkle.leaves_utf8_hex.map((data: string) => hash("sha256", Buffer.concat([Buffer.of(0), bytes(data)]))),
    );
    const own = subtreesOf(leaves);
    for (const [size, root] of Object.entries(merkle.roots_by_size)) {
      expect(rootOf(own, Number(size)).toString("hex")).toBe(root);
    }
    const { leaf_index: index, tree_size: size, audit_path: path } = merkle.inclusion;
    expect(hex(inclusionPath(own, index, size))).toEqual(path);
    for (const proof of [merkle.consistency_2_to_3, merkle.consistency_1_to_3]) {
      expect(hex(consistencyPath(own, proof.first_size, proof.second_size))).toEqual(proof.proof);
    }
  });

  it("has the root and the proofs of the protocol's vectors", () => {
    const { leaves, store_head: head } = vector("chp/store-head-v2.json");
    const ids = Object.keys(leaves).toSorted();
    const tree = subtreesOf(ids.map((id) => leafHash(id, leaves[id])));
    expect(rootOf(tree, ids.length).toString("hex")).toBe(head);
    const { proof, anchor } = vector("chp/store-head-inclusion.json");
    expect(hex(inclusionPath(tree, proof.leaf_index, proof.tree_size))).toEqual(proof.audit_path);
    const claim = {
      leaf: leafHash(proof.correlation_id, proof.head_hash),
      index: proof.leaf_index,
      size: proof.tree_size,
      path: proof.audit_path.map(bytes),
      root: bytes(anchor.store_head),
    };
    expect(provesInclusion(claim)).toBe(true);
    const { proof: grown } = vector("chp/store-head-consistency.json");
    const consistency = {
      first: grown.first_size,
      second: grown.second_size,
      firstRoot: bytes(grown.first_root),
      secondRoot: bytes(grown.second_root),
      path: grown.proof.map(bytes),
    };
    expect(provesConsistency(consistency)).toBe(true);
    expect(provesConsistency({ ...consistency, secondRoot: bytes(grown.first_root) })).toBe(false);
  });

  it("has the root of the definition at every size up to 300", () => {
    for (let size = 0; size <= 300; size++) expect(roots[size]).toEqual(rootByDefinition(made.slice(0, size)));
  });

  it("proves every event in every tree that holds it, and nothing else", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 300 }), fc.nat(), fc.nat(), (size, anyIndex, anyOther) => {
        const index = anyIndex % size;
        const claim = {
          leaf: made[index] ?? Buffer.alloc(0),
          index,
          size,
          path: inclusionPath(at, index, size),
          root: roots[size] ?? Buffer.alloc(0),
        };
        expect(provesInclusion(claim)).toBe(true);
        const other = anyOther % 300;
        if (other !== index) expect(provesInclusion({ ...claim, leaf: made[other] ?? Buffer.alloc(0) })).toBe(false);
        if (other < size && other !== index) expect(provesInclusion({ ...claim, index: other })).toBe(false);
        expect(provesInclusion({ ...claim, path: [...claim.path, Buffer.alloc(32)] })).toBe(false);
        expect(provesInclusion({ ...claim, root: Buffer.alloc(32) })).toBe(false);
      }),
      { numRuns: 1000 },
    );
  });

  it("proves for every two sizes that the later tree begins with the earlier, and for no other root", () => {
    for (let second = 0; second <= 300; second += second < 40 ? 1 : 13) {
      for (let first = 0; first <= second; first++) {
        const claim = {
          first,
          second,
          firstRoot: roots[first] ?? Buffer.alloc(0),
          secondRoot: roots[second] ?? Buffer.alloc(0),
          path: consistencyPath(at, first, second),
        };
        expect(provesConsistency(claim)).toBe(true);
        expect(provesConsistency({ ...claim, firstRoot: Buffer.alloc(32, 7) })).toBe(false);
        if (first > 0 && first < second) {
          expect(provesConsistency({ ...claim, secondRoot: Buffer.alloc(32, 7) })).toBe(false);
          expect(provesConsistency({ ...claim, path: claim.path.slice(1) })).toBe(false);
        }
      }
    }
  });

  it("answers to claims that make no sense", () => {
    const nothing = { leaf: Buffer.alloc(32), path: [], root: Buffer.alloc(32) };
    for (const [index, size] of [
      [0, 0],
      [1, 1],
      [-1, 3],
      [0.5, 3],
      [Number.NaN, 2],
    ] as const) {
      expect(provesInclusion({ ...nothing, index, size })).toBe(false);
    }
    const roots32 = { firstRoot: Buffer.alloc(32), secondRoot: Buffer.alloc(32) };
    expect(provesConsistency({ ...roots32, first: 3, second: 2, path: [] })).toBe(false);
    expect(provesConsistency({ ...roots32, first: 3, second: 5, path: [] })).toBe(false);
    expect(provesConsistency({ ...roots32, first: 3, second: 5, path: [Buffer.alloc(3)] })).toBe(false);
  });
});
