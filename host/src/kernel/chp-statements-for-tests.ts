/** What the other side of CHP signs, for tests that play it: mandates, their withdrawal, countersignatures, anchors. */
import { createPrivateKey, hash, randomBytes, sign } from "node:crypto";
import type { Json } from "./chp-client-for-tests.ts";
import { signerOf, type Signer } from "./signing.ts";
import { stable } from "./stable.ts";

const CANONICALIZATION = "chp-stable-v1";
const MINUTE = 60_000;

export const newSigner = (): Signer => signerOf(randomBytes(32));

const timeIn = (minutes: number): string =>
  new Date(Date.now() + minutes * MINUTE).toISOString().replace(/\.\d+Z$/, "Z");

const signed = (signer: Signer, header: Json): Json => ({
  algorithm: "ed25519",
  key_id: signer.keyId,
  signature: signer.sign(stable(header)),
});

/** Who signs, with the attestation of the key, which begins when the statement is made. */
const identityOf = (name: string, signer: Signer, at: unknown): Json => {
  const { keyId, publicKey } = signer;
  const claim = { host_id: name, public_key: publicKey, key_id: keyId, valid_from: at, valid_until: null };
  return { host_id: name, public_key: publicKey, host_identity: { ...claim, signature: signer.sign(stable(claim)) } };
};

export interface MandateOrder {
  readonly principal: string;
  readonly signer: Signer;
  readonly delegate: string;
  readonly scope?: readonly string[];
  readonly from?: number;
  readonly until?: number;
  readonly id?: string;
  readonly parent?: Json;
  readonly max?: number;
}

export const mandate = (order: MandateOrder): Json => {
  const { principal, signer, delegate, scope = ["conformance.echo"], from = -1, until = 60, parent, max } = order;
  const header = {
    kind: "mandate",
    mandate_id: order.id ?? `mnd_${randomBytes(8).toString("hex")}`,
    delegate_id: delegate,
    scope,
    valid_from: timeIn(from),
    valid_until: timeIn(until),
    created_at: timeIn(0),
    canonicalization: CANONICALIZATION,
    ...(parent === undefined ? {} : { depth: Number(parent["depth"] ?? 0) + 1, parent_id: parent["mandate_id"] }),
    ...(max === undefined ? {} : { max_invocations: max }),
  };
  return {
    ...header,
    ...(parent === undefined ? {} : { parent }),
    principal: identityOf(principal, signer, header.created_at),
    signature: signed(signer, header),
  };
};

export const revocation = (mandateId: unknown, principal: string, signer: Signer): Json => {
  const header = {
    kind: "mandate-revocation",
    mandate_id: mandateId,
    revoked_at: timeIn(0),
    reason: "a test",
    canonicalization: CANONICALIZATION,
  };
  return { ...header, principal: identityOf(principal, signer, header.revoked_at), signature: signed(signer, header) };
};

/** `head`: as `GET /head` gives it; `more`: what else is signed. */
export const witness = (head: Json, signer: Signer, more: Json = {}): Json => {
  const header = {
    kind: "chain-witness",
    host_id: head["host_id"],
    sequence: head["sequence"],
    store_head: head["store_head"],
    witnessed_at: timeIn(0),
    canonicalization: CANONICALIZATION,
    ...more,
  };
  return {
    ...header,
    witness: identityOf("a-witness", signer, header.witnessed_at),
    signature: signed(signer, header),
  };
};

const BASE58 = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz";

const base58 = (bytes: Buffer): string => {
  let text = "";
  for (let left = BigInt(`0x${bytes.toString("hex")}`); left > 0n; left /= 58n)
    text = `${BASE58[Number(left % 58n)]}${text}`;
  return text;
};

const sshStrings = (...parts: readonly (string | Buffer)[]): Buffer =>
  Buffer.concat(
    parts.flatMap((part) => {
      const [bytes, length] = [Buffer.from(part), Buffer.alloc(4)];
      length.writeUInt32BE(bytes.length);
      return [length, bytes];
    }),
  );

/** The head, signed with an SSH key that its owner is named by. */
export const anchor = (head: Json, seed: Buffer = randomBytes(32)): Json => {
  const namespace = "chp-store-head-anchor";
  const { host_id, sequence, store_head } = head;
  const header = { kind: "store-head-anchor", host_id, sequence, store_head, anchored_at: timeIn(0) };
  const raw = Buffer.from(signerOf(seed).publicKey, "base64");
  const der = Buffer.concat([Buffer.from("302e020100300506032b657004220420", "hex"), seed]);
  const secret = createPrivateKey({ key: der, format: "der", type: "pkcs8" });
  const digest = hash("sha512", stable(header), "buffer");
  const message = Buffer.concat([Buffer.from("SSHSIG"), sshStrings(namespace, "", "sha512", digest)]);
  const key = sshStrings("ssh-ed25519", raw);
  const signature = sshStrings("ssh-ed25519", sign(null, message, secret));
  const blob = Buffer.concat([Buffer.from("SSHSIG\0\0\0\u0001"), sshStrings(key, namespace, "", "sha512", signature)]);
  const lines = blob.toString("base64").replace(/.{70}/g, "$&\n");
  return {
    ...header,
    anchor: {
      type: "did",
      did: `did:key:z${base58(Buffer.concat([Buffer.from([0xed, 0x01]), raw]))}`,
      countersignature: `-----BEGIN SSH SIGNATURE-----\n${lines}\n-----END SSH SIGNATURE-----\n`,
    },
  };
};
