import { hash } from "node:crypto";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, it, onTestFinished } from "vitest";
import { contentHashOfLine, correlationOfLine } from "../event-line.ts";
import { draft, openLog, temporaryDir } from "../evidence-for-tests.ts";
import { prepareSchema } from "../evidence-schema.ts";
import { openEvidenceReader } from "../read-evidence.ts";
import { consistencyPath } from "./consistency-path.ts";
import { inclusionPath } from "./inclusion-path.ts";
import { subtreesOf } from "./stored-subtrees.ts";
import { rootOf, type SubtreeAt } from "./subtree.ts";
import { TileTree } from "./tile-tree.ts";
import { leafHash, nodeHash } from "./tree-hash.ts";
import { TreeReader } from "./tree-reader.ts";

const hex = (hashes: readonly Buffer[]): string[] => hashes.map((each) => each.toString("hex"));
const treeOver = (leaves: readonly Buffer[]): SubtreeAt => {
  const known = new Map<string, Buffer>();
  const at: SubtreeAt = (height, index) => {
    if (height === 0) return leaves[index] ?? Buffer.alloc(0);
    const key = `${height} ${index}`;
    const root = known.get(key) ?? nodeHash(at(height - 1, 2 * index), at(height - 1, 2 * index + 1));
    known.set(key, root);
    return root;
  };
  return at;
};
const leavesOf = (dir: string): Buffer[] => {
  const reader = openEvidenceReader(dir);
  const leaves = [...reader.range(1, reader.last())].map((line) =>
    leafHash(correlationOfLine(line), contentHashOfLine(line)),
  );
  reader.close();
  return leaves;
};
const openTree = (dir: string): TreeReader => {
  const tree = new TreeReader(dir);
  onTestFinished(() => tree.close());
  return tree;
};
const fill = async (dir: string, events: number): Promise<void> => {
  const log = await openLog(dir);
  for (let left = events; left > 0; left -= 100) {
    await Promise.all(Array.from({ length: Math.min(100, left) }, () => log.append(draft({ type: "noted" }))));
  }
  await log.close();
};

const expectTrue = (dir: string): void => {
  const tree = openTree(dir);
  const leaves = leavesOf(dir);
  const at = treeOver(leaves);
  const last = leaves.length;
  expect(tree.size()).toBe(last);
  for (const size of [0, 1, 255, 256, 257, 300, 511, 512, 513, last - 1, last].filter((each) => each <= last)) {
    expect(tree.root(size)).toBe(rootOf(at, size).toString("hex"));
    expect(tree.consistency(size, last)).toEqual(hex(consistencyPath(at, size, last)));
    if (size > 0) expect(tree.inclusion(size, last)).toEqual(hex(inclusionPath(at, size - 1, last)));
    if (size > 0) expect(tree.inclusion(1, size)).toEqual(hex(inclusionPath(at, 0, size)));
  }
};

describe("the tree of a stored log", () => {
  it("gives the roots and proofs of its events, over restarts and at every size", async () => {
    const dir = temporaryDir();
    await fill(dir, 200);
    expectTrue(dir);
    await fill(dir, 57);
    expectTrue(dir);
    await fill(dir, 600);
    expectTrue(dir);
    expect(openTree(dir).size()).toBe(857);
  });

  it("is made for a log of the earlier format when that is opened", async () => {
    const dir = temporaryDir();
    await fill(dir, 700);
    const db = new DatabaseSync(join(dir, "evidence.db"));
    for (const table of [
      "tile",
      "leaf",
      "checkpoint",
      "state",
      "answer",
      "answer_key",
      "answer_segment",
      "answer_bucket",
      "unlocked",
      "payload",
      "payload_key",
    ]) {
      db.exec(`DROP TABLE ${table}`);
    }
    db.exec(`DROP TRIGGER batch_no_update; ALTER TABLE batch DROP COLUMN answers; PRAGMA user_version = 1`);
    db.close();
    expect(() => new TreeReader(dir)).toThrow("earlier version");
    await fill(dir, 1);
    expectTrue(dir);
  });

  it("has several levels, and each restart finds them", () => {
    const db = new DatabaseSync(":memory:");
    prepareSchema(db);
    const leaves = Array.from({ length: 66_000 }, (_, i) => hash("sha256", String(i), "buffer"));
    const tree = new TileTree(db);
    const at = treeOver(leaves);
    for (const [i, leaf] of leaves.entries()) {
      tree.add(leaf.toString("hex"));
      if ([1000, 65_535, 65_536, 65_537].includes(i + 1)) expect(tree.root()).toEqual(rootOf(at, i + 1));
    }
    expect(tree.root()).toEqual(rootOf(at, 66_000));
    const again = new TileTree(db);
    expect(again.size).toBe(65_792);
    expect(again.root()).toEqual(rootOf(at, 65_792));
    const stored = subtreesOf(db);
    for (const size of [256, 40_000 - (40_000 % 256), 65_536, 65_792]) {
      expect(rootOf(stored, size)).toEqual(rootOf(at, size));
    }
    db.close();
  });
});
