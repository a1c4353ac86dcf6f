/** The checks of what was signed: the header of a bundle or a checkpoint, the id of its key, and whose key that is. Pure. */
import { findAttestationDefect } from "../kernel/attestation.ts";
import { jcs } from "../kernel/jcs.ts";
import { isSignedBy, keyIdOf } from "../kernel/signing.ts";
import { stable } from "../kernel/stable.ts";
import { isKeyAnchor } from "./statements/check-statement.ts";
import { isCanonical, MAX_DEPTH, show, textDefect } from "./verify-evidence-events.ts";
import type { Findings } from "./verify-evidence-findings.ts";
import { isObject, type Json } from "./verify-evidence-key.ts";

export const SIGNED_OF_BUNDLE: readonly string[] = [
  "host_id",
  "protocol_version",
  "created_at",
  "canonicalization",
  "root_hash",
  "completeness",
];
export const SIGNED_OF_CHECKPOINT: readonly string[] = [
  "kind",
  "host_id",
  "scheme",
  "tree_size",
  "root_hash",
  "at",
  "canonicalization",
];
const OF_CHECKPOINT = new Set([...SIGNED_OF_CHECKPOINT, "public_key", "signature"]);
const OF_SIGNATURE = new Set(["algorithm", "key_id", "signature"]);

export const unknownMember = (object: Json, known: ReadonlySet<string>): string | null => {
  const key = Object.keys(object).find((each) => !known.has(each));
  return key === undefined ? null : `the member ${show(key)} is covered by nothing`;
};

/** Over those of `members` that it has, by the key that it names. */
export const checkSignature = (findings: Findings, signed: Json, members: readonly string[]): void => {
  const { public_key: publicKey, signature } = signed;
  const header = Object.fromEntries(members.flatMap((key) => (key in signed ? [[key, signed[key]]] : [])));
  const text = signed["canonicalization"] === "chp-jcs-v1" ? jcs(header) : stable(header);
  const good =
    isObject(signature) &&
    unknownMember(signature, OF_SIGNATURE) === null &&
    isCanonical(header) &&
    signature["algorithm"] === "ed25519" &&
    isSignedBy(publicKey, text, signature["signature"]);
  findings.settle("signature", good ? null : "the signature does not verify");
  const keyId = keyIdOf(publicKey);
  const ownId = isObject(signature) && keyId !== null && signature["key_id"] === keyId;
  findings.settle("key_id", ownId ? null : "the key id is not of the key");
};

/** That the key is this host's own, at this time. */
export const checkIdentity = (
  findings: Findings,
  identity: unknown,
  { signed, at }: { signed: Json; at: unknown },
): void => {
  if (identity === undefined) return;
  const expected = { hostId: signed["host_id"], publicKey: signed["public_key"], at };
  const defect = isCanonical(identity)
    ? (findAttestationDefect(identity, expected) ?? anchorDefect(identity as Json))
    : "it has no canonical form";
  findings.settle("host_identity", defect === null ? null : `the host's attestation: ${defect}`);
};

/** Of anchors only those with a key can be checked without a network. */
const anchorDefect = ({ anchors, host_id: hostId, public_key: publicKey }: Json): string | null => {
  const vouched = { hostId: String(hostId), publicKey: String(publicKey) };
  const isFalse = (anchor: unknown): boolean =>
    isObject(anchor) && anchor["type"] === "did" && !isKeyAnchor(anchor, vouched);
  return Array.isArray(anchors) && anchors.some(isFalse) ? "an anchor of it is not signed by the key it names" : null;
};

/** What is wrong with its shape; its signature is another check. */
export const findCheckpointDefect = (checkpoint: Json, hostId: unknown): string | null => {
  const { kind, scheme, canonicalization, tree_size: size } = checkpoint;
  if (kind !== "log-checkpoint" || scheme !== "chp-store-head-v2") return "it is none";
  if (canonicalization !== "chp-stable-v1") return "its canonicalization is unknown";
  if (hostId !== undefined && checkpoint["host_id"] !== hostId) return "it is of another host";
  if (!Number.isSafeInteger(size) || Number(size) < 0) return "its size is no size";
  return unknownMember(checkpoint, OF_CHECKPOINT);
};

/** A checkpoint that somebody kept, if it is a good one; else what is wrong with it. */
export const readKeptCheckpoint = (text: string): Json | string => {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return "it is not JSON";
  }
  if (!isObject(value)) return "it is none";
  const defect = textDefect(text, MAX_DEPTH) ?? findCheckpointDefect(value, undefined);
  if (defect !== null) return defect;
  const header = Object.fromEntries(SIGNED_OF_CHECKPOINT.map((key) => [key, value[key]]));
  const signature = isObject(value["signature"]) ? value["signature"] : {};
  const good = isSignedBy(value["public_key"], stable(header), signature["signature"]);
  return good && signature["key_id"] === keyIdOf(value["public_key"]) ? value : "its signature does not verify";
};
