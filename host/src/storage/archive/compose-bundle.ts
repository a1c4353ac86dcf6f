/**
 * One correlation as a signed bundle (`evidence-bundle.schema.json`). Events go through as stored, so that a bundle of any
 * length takes little memory: they are read twice, once for the hashes that the signature covers.
 */
import { createHash } from "node:crypto";
import type { Signer } from "../../kernel/signing.ts";
import { stable } from "../../kernel/stable.ts";
import { contentHashOfLine } from "../event-line.ts";
import type { Json } from "./archive-parts.ts";
import { withholdPayload } from "./withhold-payload.ts";

export interface BundleParts {
  readonly hostId: string;
  readonly correlationId: string;
  /** The last sequence that was looked at. */
  readonly asOf: number;
  /** The same lines each time it is asked. */
  readonly lines: () => Iterable<string>;
  /** Throws when a line is not to be signed. */
  readonly checkLine: (line: string) => void;
  readonly payloads: boolean;
  /** Null: the bundle is hash-chain only. */
  readonly signer: Signer | null;
  /** The attestation of the signer's key. */
  readonly attestation: Json | null;
  readonly at: string;
}

/** Text in pieces; members stand in canonical order. */
export function* composeBundle(parts: BundleParts): Iterable<string> {
  const { hostId, signer, attestation } = parts;
  const root = createHash("sha256");
  let headHash: string | null = null;
  for (const line of parts.lines()) {
    if (signer !== null) parts.checkLine(line);
    headHash = contentHashOfLine(line);
    root.update(`${headHash}\n`);
    // Nothing to show yet, but a good moment to let others have a turn.
    yield "";
  }
  const completeness =
    headHash === null
      ? {}
      : {
          completeness: {
            scheme: "chp-completeness-v1",
            correlation_id: parts.correlationId,
            as_of_sequence: parts.asOf,
            head_hash: headHash,
          },
        };
  const header = {
    canonicalization: "chp-stable-v1",
    ...completeness,
    created_at: parts.at,
    host_id: hostId,
    protocol_version: "0.2",
    root_hash: root.digest("hex"),
  };
  const { canonicalization, created_at: createdAt, ...rest } = header;
  const before = {
    assurance: signer ? "signed" : "hash-chain",
    canonicalization,
    ...completeness,
    created_at: createdAt,
  };
  yield `${stable(before).slice(0, -1)}, "events": [`;
  let first = true;
  for (const line of parts.lines()) {
    yield (first ? "" : ", ") + (parts.payloads ? line : withholdPayload(line));
    first = false;
  }
  const { host_id: _id, protocol_version: protocol, root_hash: rootHash } = rest;
  const signed = signer && {
    public_key: signer.publicKey,
    signature: { algorithm: "ed25519", key_id: signer.keyId, signature: signer.sign(stable(header)) },
  };
  const identity = signed && attestation ? { host_identity: attestation } : {};
  const after = { host_id: hostId, ...identity, protocol_version: protocol, root_hash: rootHash, ...signed };
  yield `], ${stable(after).slice(1)}\n`;
}
