/** For tests: people who sign mandates. */
import { randomBytes } from "node:crypto";
import { signerOf, type Signer } from "../../../kernel/signing.ts";
import { stable } from "../../../kernel/stable.ts";

export type Json = Record<string, unknown>;

export interface Party {
  readonly hostId: string;
  readonly signer: Signer;
  /** Default: for ever. */
  readonly attestedUntil?: number;
}

export const party = (hostId: string): Party => ({ hostId, signer: signerOf(randomBytes(32)) });

export const HOUR = 3_600_000;
export const NOW = Date.parse("2026-03-01T12:00:00Z");

const iso = (at: number): string => new Date(at).toISOString();

const attestation = ({ hostId, signer, attestedUntil }: Party): Json => {
  const signed = {
    host_id: hostId,
    public_key: signer.publicKey,
    key_id: signer.keyId,
    valid_from: iso(NOW - 100 * HOUR),
    valid_until: attestedUntil === undefined ? null : iso(attestedUntil),
  };
  return { ...signed, signature: signer.sign(stable(signed)) };
};

export interface MandateOrder {
  readonly by: Party;
  readonly to: string;
  readonly scope: readonly string[];
  readonly from?: number;
  readonly until?: number;
  readonly id?: string;
  readonly max?: number;
  readonly parent?: Json;
  /** Members that are signed as they stand here. */
  readonly signed?: Json;
}

export const mandateOf = (order: MandateOrder): Json => {
  const { by, to, scope, parent, max } = order;
  const depth = parent === undefined ? undefined : ((parent["depth"] as number | undefined) ?? 0) + 1;
  const signed: Json = {
    kind: "mandate",
    mandate_id: order.id ?? `mnd_${randomBytes(8).toString("hex")}`,
    delegate_id: to,
    scope: [...scope].toSorted(),
    valid_from: iso(order.from ?? NOW - HOUR),
    valid_until: iso(order.until ?? NOW + HOUR),
    created_at: iso(NOW - HOUR),
    canonicalization: "chp-stable-v1",
    ...(parent === undefined ? {} : { depth, parent_id: parent["mandate_id"] }),
    ...(max === undefined ? {} : { max_invocations: max }),
    ...order.signed,
  };
  return {
    ...signed,
    ...(parent === undefined ? {} : { parent }),
    principal: { host_id: by.hostId, public_key: by.signer.publicKey, host_identity: attestation(by) },
    signature: { algorithm: "ed25519", key_id: by.signer.keyId, signature: by.signer.sign(stable(signed)) },
  };
};
