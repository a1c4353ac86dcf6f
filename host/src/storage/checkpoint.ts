/**
 * A signed statement of how the log stood: its size and the root over all events up to there. Whoever keeps one can tell
 * later whether the log still begins with what it was made of.
 */
import { isSignedBy, keyIdOf, type Signer } from "../kernel/signing.ts";
import { stable } from "../kernel/stable.ts";

export interface LogHead {
  readonly hostId: string;
  readonly size: number;
  /** Hex. */
  readonly root: string;
  /** ISO. */
  readonly at: string;
}

const headerOf = ({ hostId, size, root, at }: LogHead): Readonly<Record<string, unknown>> => ({
  kind: "log-checkpoint",
  host_id: hostId,
  scheme: "chp-store-head-v2",
  tree_size: size,
  root_hash: root,
  at,
  canonicalization: "chp-stable-v1",
});

/** The whole statement as canonical text. */
export const makeCheckpoint = (head: LogHead, signer: Signer): string => {
  const header = headerOf(head);
  return stable({
    ...header,
    public_key: signer.publicKey,
    signature: { algorithm: "ed25519", key_id: signer.keyId, signature: signer.sign(stable(header)) },
  });
};

export interface CheckpointClaim {
  readonly treeSize: number;
  readonly rootHash: string;
}

/** What a checkpoint says, when one of these keys signed it; otherwise why it counts for nothing. */
export const readCheckpoint = (text: string, publicKeys: readonly string[]): CheckpointClaim | string => {
  let value: Readonly<Record<string, unknown>>;
  try {
    value = JSON.parse(text) as Readonly<Record<string, unknown>>;
  } catch {
    return "it cannot be read";
  }
  const { public_key: publicKey, signature, ...header } = value;
  const by = signature as { readonly key_id?: unknown; readonly signature?: unknown } | undefined;
  if (typeof publicKey !== "string" || !publicKeys.includes(publicKey))
    return "it is signed by a key that is not this host's";
  if (by?.key_id !== keyIdOf(publicKey)) return "its key id is not that of its key";
  if (!isSignedBy(publicKey, stable(header), by?.signature)) return "its signature is wrong";
  const { tree_size: treeSize, root_hash: rootHash } = header;
  if (typeof treeSize !== "number" || typeof rootHash !== "string") return "it says nothing about the log";
  return { treeSize, rootHash };
};
