/** What about a chain of mandates is mathematics: signatures, key ids, and the principals' attestations of their keys. */
import { hash } from "node:crypto";
import { findAttestationDefect, instantOf } from "../../../kernel/attestation.ts";
import { jcs } from "../../../kernel/jcs.ts";
import { isSignedBy, keyIdOf } from "../../../kernel/signing.ts";
import { stable } from "../../../kernel/stable.ts";
import type { MandateLink } from "./read-mandate.ts";

export interface Proof {
  readonly signature: boolean;
  readonly key_id: boolean;
  readonly attestation: boolean;
}

export type ProveLinks = (links: readonly MandateLink[], now: number) => Proof;

export const proveLinks: ProveLinks = (links, now) => {
  const at = new Date(now).toISOString();
  return {
    signature: links.every(({ principal, signed, signature }) =>
      isSignedBy(principal.publicKey, stable(signed), signature.signature),
    ),
    key_id: links.every(({ principal, signature }) => signature.keyId === keyIdOf(principal.publicKey)),
    attestation: links.every(
      ({ principal }) => findAttestationDefect(principal.identity, { ...principal, at }) === null,
    ),
  };
};

const MAX_REMEMBERED = 1_000;

/** A delegate brings the same mandate with every call: what was proved of it once is not proved again. */
export const rememberProofs = (): ProveLinks => {
  const known = new Map<string, { proof: Proof; from: number; until: number }>();
  return (links, now) => {
    const key = hash("sha256", jcs(links.map(({ signed, signature, principal }) => [signed, signature, principal])));
    const earlier = known.get(key);
    if (earlier !== undefined && earlier.from <= now && now < earlier.until) return earlier.proof;
    const proof = proveLinks(links, now);
    if (!proof.signature || !proof.key_id || !proof.attestation) return proof;
    known.delete(key);
    known.set(key, { proof, from: now, until: Math.min(...links.map(endOf)) });
    const [oldest] = known.keys();
    if (known.size > MAX_REMEMBERED && oldest !== undefined) known.delete(oldest);
    return proof;
  };
};

/** Of an attestation that was found to hold. */
const endOf = ({ principal }: MandateLink): number => {
  const { valid_until: until } = principal.identity as { readonly valid_until: unknown };
  return until === null ? Number.POSITIVE_INFINITY : instantOf(until);
};
