/**
 * What a host's keys say about themselves: which host a key is of and for how long, that a key follows another, that one is
 * not to be believed any more. Each is signed over the canonical text of its members.
 */
import type { Signer } from "../kernel/signing.ts";
import { stable } from "../kernel/stable.ts";

export interface Attestation {
  readonly host_id: string;
  readonly public_key: string;
  readonly key_id: string;
  readonly valid_from: string;
  readonly valid_until: string | null;
  /** Absent when there are none. */
  readonly anchors?: readonly Readonly<Record<string, unknown>>[];
  readonly signature: string;
}

/** Signed by the old key. */
export interface Continuity {
  readonly old_key_id: string;
  readonly old_public_key: string;
  readonly new_key_id: string;
  readonly new_public_key: string;
  readonly rotated_at: string;
  readonly signature: string;
}

/** Signed by the revoked key itself. */
export interface Revocation {
  readonly revoked_key_id: string;
  readonly revoked_public_key: string;
  readonly revoked_at: string;
  readonly reason: string;
  readonly signature: string;
}

const signed = <Claim extends object>(claim: Claim, signer: Signer): Claim & { readonly signature: string } => ({
  ...claim,
  signature: signer.sign(stable(claim)),
});

export interface AttestationClaim {
  readonly hostId: string;
  readonly validFrom: string;
  readonly validUntil: string | null;
  readonly anchors: readonly Readonly<Record<string, unknown>>[];
}

export const attest = (claim: AttestationClaim, signer: Signer): Attestation =>
  signed(
    {
      host_id: claim.hostId,
      public_key: signer.publicKey,
      key_id: signer.keyId,
      valid_from: claim.validFrom,
      valid_until: claim.validUntil,
      ...(claim.anchors.length === 0 ? {} : { anchors: claim.anchors }),
    },
    signer,
  );

export const continueWith = (old: Signer, next: Signer, at: string): Continuity =>
  signed(
    {
      old_key_id: old.keyId,
      old_public_key: old.publicKey,
      new_key_id: next.keyId,
      new_public_key: next.publicKey,
      rotated_at: at,
    },
    old,
  );

export const revokeKey = (signer: Signer, at: string, reason: string): Revocation =>
  signed({ revoked_key_id: signer.keyId, revoked_public_key: signer.publicKey, revoked_at: at, reason }, signer);
