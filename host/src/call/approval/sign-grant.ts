/** The grant that a person's yes becomes: the person decided in an authenticated session, and the host's key signs it. */
import type { Signer } from "../../kernel/signing.ts";
import { stable } from "../../kernel/stable.ts";
import { principalUri } from "../../kernel/subject.ts";
import type { StoredApproval } from "./stored-approval.ts";

export type Grant = Readonly<Record<string, unknown>>;

/** Exactly these are signed, those that are there. */
const SIGNED = [
  "kind",
  "approval_id",
  "invocation_id",
  "decision",
  "approver",
  "valid_until",
  "payload_commitment",
  "canonicalization",
  "invocation_digest",
  "action_digest",
  "binding_id",
  "audience",
  "max_attempts",
] as const;

export const signedText = (grant: Grant): string =>
  stable(Object.fromEntries(SIGNED.filter((name) => Object.hasOwn(grant, name)).map((name) => [name, grant[name]])));

export interface Attested {
  readonly record: Pick<StoredApproval, "id" | "invocation_id" | "commitment" | "digest">;
  /** Who decided. */
  readonly person: string;
  readonly validUntil: string;
  readonly hostId: string;
  readonly signer: Signer;
}

export const signGrant = ({ record, person, validUntil, hostId, signer }: Attested): Grant => {
  const header = {
    kind: "approval-grant",
    approval_id: record.id,
    invocation_id: record.invocation_id,
    decision: "granted",
    approver: signer.keyId,
    valid_until: validUntil,
    payload_commitment: record.commitment,
    canonicalization: "chp-stable-v1",
    action_digest: record.digest,
    audience: hostId,
    max_attempts: 1,
  };
  return {
    ...header,
    approver_identity: {
      host_id: signer.keyId,
      public_key: signer.publicKey,
      principal: principalUri(person),
      method: "host-attested",
    },
    signature: { algorithm: "ed25519", key_id: signer.keyId, signature: signer.sign(signedText(header)) },
  };
};
