/** The three hashes of an RFC 6962 tree: of a leaf, of a node, of nothing. A leaf is one event of the log. */
import { hash } from "node:crypto";

export const HASH_BYTES = 32;

/** Hex: a string is cheaper to make than a buffer, and one is made for every event. */
export const leafHex = (correlationId: string, contentHash: string): string =>
  hash("sha256", `\0${correlationId}\0${contentHash}\n`);

export const leafHash = (correlationId: string, contentHash: string): Buffer =>
  Buffer.from(leafHex(correlationId, contentHash), "hex");

/** Reused: a node is hashed for every event, and the hash is done before a function here returns. */
const node = Buffer.alloc(1 + 2 * HASH_BYTES, 1);
const MAX_PERFECT = 256;
const work = Buffer.alloc(MAX_PERFECT * HASH_BYTES);

export const nodeHash = (left: Buffer, right: Buffer): Buffer => {
  left.copy(node, 1);
  right.copy(node, 1 + HASH_BYTES);
  return hash("sha256", node, "buffer");
};

export const emptyRoot = (): Buffer => hash("sha256", "", "buffer");

/** The root over a power of two of hashes, at most 256, that stand one after the other. */
export const perfectRoot = (hashes: Buffer): Buffer => {
  hashes.copy(work);
  for (let count = hashes.length / HASH_BYTES; count > 1; count /= 2) {
    for (let i = 0; i < count / 2; i++) {
      work.copy(node, 1, i * 2 * HASH_BYTES, (i + 1) * 2 * HASH_BYTES);
      work.write(hash("sha256", node), i * HASH_BYTES, "hex");
    }
  }
  return Buffer.from(work.subarray(0, HASH_BYTES));
};
