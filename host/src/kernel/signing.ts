/**
 * Ed25519 as every statement here uses it: keys raw in base64, signatures in base64 over the UTF-8 of a canonical text. A
 * key id is the beginning of the key's hash, and is believed only when it was computed from the key at hand.
 */
import { createPrivateKey, createPublicKey, hash, sign, verify, type KeyObject } from "node:crypto";

const PUBLIC_HEAD = Buffer.from("302a300506032b6570032100", "hex");
const PRIVATE_HEAD = Buffer.from("302e020100300506032b657004220420", "hex");
const RAW_BYTES = 32;
const SIGNATURE_BYTES = 64;

export interface Signer {
  /** First 16 hex of the SHA-256 of the raw public key. */
  readonly keyId: string;
  /** Base64 of its 32 bytes. */
  readonly publicKey: string;
  /** Base64. */
  sign(text: string): string;
}

/** Strict: what is no canonical base64 of exactly this many bytes is null. */
const decode = (text: unknown, bytes: number): Buffer | null => {
  if (typeof text !== "string" || text.length > 2 * bytes + 8) return null;
  const raw = Buffer.from(text, "base64");
  return raw.length === bytes && raw.toString("base64") === text ? raw : null;
};

/** Null for what is no public key. */
export const keyIdOf = (publicKey: unknown): string | null => {
  const raw = decode(publicKey, RAW_BYTES);
  return raw && hash("sha256", raw).slice(0, 16);
};

export const isSignedBy = (publicKey: unknown, text: string | Buffer, signature: unknown): boolean => {
  const raw = decode(publicKey, RAW_BYTES);
  const bytes = decode(signature, SIGNATURE_BYTES);
  if (!raw || !bytes) return false;
  try {
    const key = createPublicKey({ key: Buffer.concat([PUBLIC_HEAD, raw]), format: "der", type: "spki" });
    return verify(null, typeof text === "string" ? Buffer.from(text, "utf8") : text, key, bytes);
  } catch {
    return false;
  }
};

/** From the 32 bytes of a private key. */
export const signerOf = (seed: Buffer): Signer => {
  const key: KeyObject = createPrivateKey({ key: Buffer.concat([PRIVATE_HEAD, seed]), format: "der", type: "pkcs8" });
  const raw = createPublicKey(key).export({ format: "der", type: "spki" }).subarray(-RAW_BYTES);
  return {
    keyId: hash("sha256", raw).slice(0, 16),
    publicKey: raw.toString("base64"),
    sign: (text) => sign(null, Buffer.from(text, "utf8"), key).toString("base64"),
  };
};
