/**
 * The verifying side of the log's tree: leaves of a stretch of the log folded as they pass, in a few subtrees however many
 * there are, and proofs as they stand in a text. Pure.
 */
import { hash } from "node:crypto";
import { provesConsistency } from "./tree/proves-consistency.ts";
import { provesInclusion } from "./tree/proves-inclusion.ts";
import { leafHash } from "./tree/tree-hash.ts";

/** A whole subtree: 2^level leaves, the `index`-th of its level. */
export interface TreeNode {
  readonly level: number;
  readonly index: number;
  /** Its 32 bytes as a text of one character each, which is many times faster to make than a buffer. */
  readonly hash: string;
}

type Json = Readonly<Record<string, unknown>>;

const HEX = /^[0-9a-f]{64}$/;
const MAX_PATH = 128;

export const leafOf = (correlationId: string, contentHash: string): string =>
  hash("sha256", `\0${correlationId}\0${contentHash}\n`, "binary");

/** Reused: the hash is done before the function returns. */
const pair = Buffer.alloc(65, 1);

const nodeOf = (left: string, right: string): string => {
  pair.write(left, 1, "binary");
  pair.write(right, 33, "binary");
  return hash("sha256", pair, "binary");
};

/** Puts a subtree after those of `nodes` and joins what is whole. */
export const pushNode = (nodes: TreeNode[], node: TreeNode): void => {
  let top = node;
  for (;;) {
    const left = nodes.at(-1);
    if (left === undefined || left.level !== top.level || left.index % 2 === 1) break;
    nodes.pop();
    top = { level: top.level + 1, index: left.index / 2, hash: nodeOf(left.hash, top.hash) };
  }
  nodes.push(top);
};

/** Of a tree whose subtrees, from its first leaf on, are these. */
export const rootOfNodes = (nodes: readonly TreeNode[]): string => {
  const root = nodes.reduceRight<string | null>(
    (right, { hash: left }) => (right === null ? left : nodeOf(left, right)),
    null,
  );
  return root === null ? hash("sha256", "") : Buffer.from(root, "latin1").toString("hex");
};

export const readHash = (text: unknown): Buffer | null =>
  typeof text === "string" && HEX.test(text) ? Buffer.from(text, "hex") : null;

const readPath = (path: unknown): Buffer[] | null => {
  if (!Array.isArray(path) || path.length > MAX_PATH) return null;
  const hashes = path.map(readHash);
  return hashes.every((each) => each !== null) ? hashes : null;
};

/** A node on the way up to the root, and the last one of its level. */
class Climb {
  level = 0;
  at: number;
  last: number;

  constructor(index: number, last: number) {
    this.at = index;
    this.last = last;
  }

  up(): void {
    this.level++;
    this.at = Math.floor(this.at / 2);
    this.last = Math.floor(this.last / 2);
  }
}

/** The subtrees of the earlier tree, which stand on the way of a path that is known to be good. */
const subtreesOn = (path: readonly Buffer[], seed: Buffer, sizes: readonly [number, number]): TreeNode[] => {
  const climb = new Climb(sizes[0] - 1, sizes[1] - 1);
  while (climb.at % 2 === 1) climb.up();
  const nodes: TreeNode[] = [{ level: climb.level, index: climb.at, hash: seed.toString("latin1") }];
  for (const sibling of path) {
    if (climb.at % 2 === 1 || climb.at === climb.last) {
      while (climb.at % 2 === 0 && climb.at !== 0) climb.up();
      nodes.unshift({ level: climb.level, index: climb.at - 1, hash: sibling.toString("latin1") });
    }
    climb.up();
  }
  return nodes;
};

/**
 * Whether a `store-head-consistency` holds: null when it does not, else the subtrees of the earlier tree, to which leaves can
 * be added. Two trees of one size prove nothing of each other.
 */
export const subtreesOfConsistency = (proof: Json): TreeNode[] | null => {
  const [first, second] = [Number(proof["first_size"]), Number(proof["second_size"])];
  const path = readPath(proof["proof"]);
  const [firstRoot, secondRoot] = [readHash(proof["first_root"]), readHash(proof["second_root"])];
  if (proof["scheme"] !== "chp-store-head-v2" || !path || !firstRoot || !secondRoot || first === second) return null;
  if (!provesConsistency({ first, second, firstRoot, secondRoot, path })) return null;
  if (first === 0) return [];
  const isWhole = Number.isInteger(Math.log2(first));
  const [seed = firstRoot, ...rest] = isWhole ? [firstRoot, ...path] : path;
  return subtreesOn(rest, seed, [first, second]);
};

/** Whether a `store-head-inclusion` leads from its leaf to this root. */
export const isIncluded = (proof: Json, root: unknown): boolean => {
  const { scheme, correlation_id: id, head_hash: head } = proof;
  const path = readPath(proof["audit_path"]);
  const known = readHash(root);
  if (scheme !== "chp-store-head-v2" || !path || !known || typeof id !== "string" || typeof head !== "string")
    return false;
  const [index, size] = [Number(proof["leaf_index"]), Number(proof["tree_size"])];
  return provesInclusion({ leaf: leafHash(id, head), index, size, path, root: known });
};
