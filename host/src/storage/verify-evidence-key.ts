/**
 * Whose key it is. The key that somebody expects, and how far it reaches: a newer key of the same host is accepted only by
 * walking from the expected one over statements that each old key signed about the next, and never past a revoked key; and
 * what is wrong with a host's word that a key is its own. Pure.
 */
import { findAttestationDefect, type Attested } from "../kernel/attestation.ts";
import { isSignedBy, keyIdOf } from "../kernel/signing.ts";
import { stable } from "../kernel/stable.ts";
import { isKeyAnchor } from "./statements/check-statement.ts";
import { isCanonical, isObject, type Json } from "./verify-evidence-text.ts";

export interface ExpectedKey {
  readonly publicKey: string;
  /** Statements that came with it, as in an identity document; other sources may add theirs. */
  readonly history: readonly Json[];
  readonly revoked: readonly Json[];
}

const MAX_STEPS = 1000;

const objectsOf = (value: unknown): Json[] => (Array.isArray(value) ? value.slice(0, MAX_STEPS).filter(isObject) : []);

/** Base64 of a key, or the text of an identity document or of a host's key file. Null: neither. */
export const readExpectedKey = (text: string): ExpectedKey | null => {
  const trimmed = text.trim();
  if (keyIdOf(trimmed) !== null) return { publicKey: trimmed, history: [], revoked: [] };
  try {
    const document: unknown = JSON.parse(trimmed);
    return expectedKeyOf(document) ?? keyOfFile(document);
  } catch {
    return null;
  }
};

/** The public part of a key file, which says the same under other names. */
const keyOfFile = (file: unknown): ExpectedKey | null => {
  if (!isObject(file)) return null;
  const { attestation, history, revoked } = file;
  if (!isObject(attestation)) return null;
  return expectedKeyOf({ public_key: attestation["public_key"], key_history: history, revoked_keys: revoked });
};

export const expectedKeyOf = (document: unknown): ExpectedKey | null => {
  if (!isObject(document) || keyIdOf(document["public_key"]) === null) return null;
  const [history, revoked] = [objectsOf(document["key_history"]), objectsOf(document["revoked_keys"])];
  return { publicKey: String(document["public_key"]), history, revoked };
};

/** Signed, over exactly these members, by the key it names. */
const holds = (statement: Json, members: readonly string[], key: string): boolean => {
  const { signature, ...signed } = statement;
  const bytes = isObject(signature) ? signature["signature"] : signature;
  const whole = Object.keys(signed).length === members.length && members.every((member) => member in signed);
  return whole && isSignedBy(statement[key], stable(signed), bytes);
};

const CONTINUITY = ["old_key_id", "old_public_key", "new_key_id", "new_public_key", "rotated_at"];
const REVOCATION = ["revoked_key_id", "revoked_public_key", "revoked_at", "reason"];

const isContinuity = (step: Json): boolean =>
  step["old_key_id"] === keyIdOf(step["old_public_key"]) &&
  step["new_key_id"] === keyIdOf(step["new_public_key"]) &&
  holds(step, CONTINUITY, "old_public_key");

const isRevocation = (statement: Json): boolean =>
  statement["revoked_key_id"] === keyIdOf(statement["revoked_public_key"]) &&
  holds(statement, REVOCATION, "revoked_public_key");

const walk = (from: unknown, to: unknown, steps: readonly Json[]): boolean => {
  const reached = new Set([from]);
  for (let grown = true; grown && !reached.has(to);) {
    grown = false;
    for (const step of steps) {
      if (!reached.has(step["old_public_key"]) || reached.has(step["new_public_key"])) continue;
      reached.add(step["new_public_key"]);
      grown = true;
    }
  }
  return reached.has(to);
};

/** Whether what this key signed is what was expected. `others`: documents that only add statements. */
export const isExpected = (
  expected: ExpectedKey,
  signer: unknown,
  others: readonly (ExpectedKey | null)[],
): boolean => {
  const documents = [expected, ...others.filter((each) => each !== null)];
  const revoked = new Set(
    documents.flatMap((each) => each.revoked.filter(isRevocation)).map((each) => each["revoked_public_key"]),
  );
  if (revoked.has(signer) || revoked.has(expected.publicKey)) return false;
  const steps = (from: readonly ExpectedKey[]): Json[] =>
    from
      .flatMap(({ history }) => history)
      .filter((step) => !revoked.has(step["old_public_key"]) && !revoked.has(step["new_public_key"]))
      .filter(isContinuity);
  if (walk(expected.publicKey, signer, steps(documents))) return true;
  // An older key of the host: only the expected document itself can say so, because an old key is nobody's to vouch for.
  return walk(signer, expected.publicKey, steps([expected]));
};

/** What is wrong with a host's attestation of its key; null: it holds. */
export const findIdentityDefect = (identity: unknown, expected: Attested): string | null =>
  isCanonical(identity)
    ? (findAttestationDefect(identity, expected) ?? anchorDefect(identity as Json))
    : "it has no canonical form";

/** Of anchors only those with a key can be checked without a network. */
const anchorDefect = ({ anchors, host_id: hostId, public_key: publicKey }: Json): string | null => {
  const vouched = { hostId: String(hostId), publicKey: String(publicKey) };
  const isFalse = (anchor: unknown): boolean =>
    isObject(anchor) && anchor["type"] === "did" && !isKeyAnchor(anchor, vouched);
  return Array.isArray(anchors) && anchors.some(isFalse) ? "an anchor of it is not signed by the key it names" : null;
};
