/** The tree of the log (RFC 6962): a leaf for each event, folded as they pass into a few subtrees, however many there are. Pure. */
import { hash } from "node:crypto";

/** A whole subtree of the log: 2^level leaves, the `index`-th of its level. */
export interface Subtree {
  readonly level: number;
  readonly index: number;
  /** Its 32 bytes as a text of one character each, which is many times faster to make than a buffer. */
  readonly hash: string;
}

export const leafOf = (correlationId: string, contentHash: string): string =>
  hash("sha256", `\0${correlationId}\0${contentHash}\n`, "binary");

/** Reused: the hash is done before the function returns. */
const pair = Buffer.alloc(65, 1);

const nodeOf = (left: string, right: string): string => {
  pair.write(left, 1, "binary");
  pair.write(right, 33, "binary");
  return hash("sha256", pair, "binary");
};

/** Puts a subtree after the others and joins what is whole. */
export const joinSubtree = (subtrees: Subtree[], next: Subtree): void => {
  let top = next;
  for (let left = subtrees.at(-1); left?.level === top.level && left.index % 2 === 0; left = subtrees.at(-1)) {
    subtrees.pop();
    top = { level: top.level + 1, index: left.index / 2, hash: nodeOf(left.hash, top.hash) };
  }
  subtrees.push(top);
};

/** The root of a tree of these subtrees, from its first leaf on. */
export const rootOf = (subtrees: readonly Subtree[]): string => {
  const [last, ...others] = subtrees.toReversed();
  if (last === undefined) return hash("sha256", "");
  return Buffer.from(
    others.reduce((right, left) => nodeOf(left.hash, right), last.hash),
    "latin1",
  ).toString("hex");
};
