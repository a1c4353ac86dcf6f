/**
 * Whether statements about this host and about mandates are what they claim to be: witnesses, anchors, withdrawn mandates.
 * Pure, no network; what a statement says of its own key is recomputed. Whatever they are given, these functions answer.
 */
import { findAttestationDefect, instantOf } from "../../kernel/attestation.ts";
import { isSignedBy, keyIdOf } from "../../kernel/signing.ts";
import { stable } from "../../kernel/stable.ts";
import type { Json } from "../archive/archive-parts.ts";
import { isSshSigned } from "./ssh-signature.ts";

const MAX_CHARS = 16_384;
/** Many of these are kept. */
const MAX_REVOCATION_CHARS = 4096;
const MAX_DEPTH = 12;
const HEX = /^[0-9a-f]{64}$/;

const isObject = (value: unknown): value is Json =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const isShallow = (value: unknown, depth = 0): boolean =>
  typeof value !== "object" || value === null
    ? typeof value !== "number" || Number.isSafeInteger(value)
    : depth < MAX_DEPTH && Object.values(value).every((each) => isShallow(each, depth + 1));

const pick = (statement: Json, members: readonly string[]): Json =>
  Object.fromEntries(members.flatMap((key) => (key in statement ? [[key, statement[key]]] : [])));

const hasOnly = (object: Json, needed: readonly string[], optional: readonly string[] = []): boolean =>
  needed.every((key) => key in object) &&
  Object.keys(object).every((key) => needed.includes(key) || optional.includes(key));

/** A statement that a host signed: by the key of `signer`, which that host attests to be its own at the time. */
const signedDefect = (
  statement: Json,
  members: readonly string[],
  signer: { by: unknown; at: unknown },
): string | null => {
  const { by, at } = signer;
  const { signature } = statement;
  if (!isObject(by) || !hasOnly(by, ["host_id", "public_key", "host_identity"])) return "who signed it is not told";
  if (!isObject(signature) || !hasOnly(signature, ["algorithm", "key_id", "signature"])) return "it is not signed";
  const publicKey = by["public_key"];
  if (signature["algorithm"] !== "ed25519" || signature["key_id"] !== keyIdOf(publicKey)) return "its key id is wrong";
  if (!isSignedBy(publicKey, stable(pick(statement, members)), signature["signature"]))
    return "its signature does not verify";
  const defect = findAttestationDefect(by["host_identity"], { hostId: by["host_id"], publicKey, at });
  return defect === null ? null : `the attestation of its key: ${defect}`;
};

const shapeDefect = (value: unknown, kind: string, maxChars = MAX_CHARS): string | null => {
  if (!isObject(value) || value["kind"] !== kind) return `it is no ${kind}`;
  if (!isShallow(value) || stable(value).length > maxChars) return "it is too large or holds fractions";
  return null;
};

const isHead = ({ host_id: host, sequence, store_head: head }: Json): boolean =>
  typeof host === "string" &&
  Number.isSafeInteger(sequence) &&
  Number(sequence) >= 0 &&
  typeof head === "string" &&
  HEX.test(head);

const WITNESS = ["kind", "host_id", "sequence", "store_head", "witnessed_at", "canonicalization"];

/** Null: it holds. */
export const findWitnessDefect = (statement: unknown): string | null => {
  const shape = shapeDefect(statement, "chain-witness");
  if (shape !== null) return shape;
  const given = statement as Json;
  if (!hasOnly(given, [...WITNESS, "witness", "signature"], ["revocation_head"]))
    return "its members are not as agreed";
  if (!isHead(given) || given["canonicalization"] !== "chp-stable-v1") return "it names no head";
  const freshness = given["revocation_head"];
  if (freshness !== undefined && !(typeof freshness === "string" && HEX.test(freshness)))
    return "its revocation_head is none";
  return signedDefect(given, [...WITNESS, "revocation_head"], { by: given["witness"], at: given["witnessed_at"] });
};

const REVOCATION = ["kind", "mandate_id", "revoked_at", "reason", "canonicalization"];

export const findRevocationDefect = (statement: unknown): string | null => {
  const shape = shapeDefect(statement, "mandate-revocation", MAX_REVOCATION_CHARS);
  if (shape !== null) return shape;
  const given = statement as Json;
  if (!hasOnly(given, [...REVOCATION, "principal", "signature"])) return "its members are not as agreed";
  const { mandate_id: mandate, reason, canonicalization } = given;
  // Both stand in lines that are hashed.
  if (typeof mandate !== "string" || !/^[\u0021-\u007e]{1,256}$/.test(mandate)) return "it names no mandate";
  if (typeof reason !== "string" || canonicalization !== "chp-stable-v1") return "it gives no reason";
  return signedDefect(given, REVOCATION, { by: given["principal"], at: given["revoked_at"] });
};

const ANCHOR = ["kind", "host_id", "sequence", "store_head", "anchored_at"];

export const findAnchorDefect = (statement: unknown): string | null => {
  const shape = shapeDefect(statement, "store-head-anchor");
  if (shape !== null) return shape;
  const given = statement as Json;
  if (!hasOnly(given, [...ANCHOR, "anchor"], ["store_head_scheme"])) return "its members are not as agreed";
  const { anchor, anchored_at: at } = given;
  if (!isHead(given) || Number.isNaN(instantOf(at))) return "it names no head";
  if (!isObject(anchor) || !hasOnly(anchor, ["type", "did", "countersignature"]) || anchor["type"] !== "did")
    return "its anchor is no did";
  const text = stable(pick(given, ANCHOR));
  const { did, countersignature: signature } = anchor;
  const good = isSshSigned({ did, namespace: "chp-store-head-anchor", text, signature });
  return good ? null : "its signature is not of the key that it names";
};

/** Whether a key is vouched for by the name in an anchor of its attestation. */
export const isKeyAnchor = (anchor: unknown, { hostId, publicKey }: { hostId: string; publicKey: string }): boolean => {
  if (!isObject(anchor) || anchor["type"] !== "did") return false;
  const text = stable({ chp_public_key: publicKey, host_id: hostId });
  const { did, countersignature: signature } = anchor;
  return isSshSigned({ did, namespace: "chp-host-anchor", text, signature });
};
