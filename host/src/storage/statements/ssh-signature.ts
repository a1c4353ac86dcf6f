/**
 * Signatures of SSH keys (SSHSIG) by somebody who is named by the key itself (`did:key`), Ed25519 only. The key inside the
 * signature must be the one of the name. Whatever they are given, these functions answer.
 */
import { hash } from "node:crypto";
import { isSignedBy } from "../../kernel/signing.ts";

const ALPHABET = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz";
const DID = "did:key:z";
const ED25519 = Buffer.from([0xed, 0x01]);
const MAGIC = Buffer.from("SSHSIG");
const KEY_TYPE = Buffer.from("ssh-ed25519");
const MAX_DID = 80;
const MAX_ARMOUR = 4096;
const HASHES: ReadonlySet<string> = new Set(["sha512", "sha256"]);

/** Base58 of bitcoin; null for what is none. */
const decodeBase58 = (text: string): Buffer | null => {
  let value = 0n;
  for (const sign of text) {
    const digit = ALPHABET.indexOf(sign);
    if (digit === -1) return null;
    value = value * 58n + BigInt(digit);
  }
  const hex = value === 0n ? "" : value.toString(16);
  const zeros = /^1*/.exec(text)?.[0].length ?? 0;
  return Buffer.concat([Buffer.alloc(zeros), Buffer.from(hex.length % 2 === 0 ? hex : `0${hex}`, "hex")]);
};

/** The raw key that the name is; null: it is no name of an Ed25519 key. */
export const keyOfDid = (did: unknown): Buffer | null => {
  if (typeof did !== "string" || did.length > MAX_DID || !did.startsWith(DID)) return null;
  const bytes = decodeBase58(did.slice(DID.length));
  return bytes?.length === 34 && bytes.subarray(0, 2).equals(ED25519) ? bytes.subarray(2) : null;
};

/** Strings of the wire: each with its length in front. Null: they do not fill the bytes exactly. */
const readStrings = (bytes: Buffer, count: number): Buffer[] | null => {
  const strings: Buffer[] = [];
  let at = 0;
  for (let i = 0; i < count; i++) {
    if (at + 4 > bytes.length) return null;
    const end = at + 4 + bytes.readUInt32BE(at);
    if (end > bytes.length) return null;
    strings.push(bytes.subarray(at + 4, end));
    at = end;
  }
  return at === bytes.length ? strings : null;
};

const wireString = (bytes: Buffer): Buffer => {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(bytes.length);
  return Buffer.concat([length, bytes]);
};

const unarmour = (text: unknown): Buffer | null => {
  if (typeof text !== "string" || text.length > MAX_ARMOUR) return null;
  const inside = /^-----BEGIN SSH SIGNATURE-----\n([A-Za-z0-9+/=\n]+)\n-----END SSH SIGNATURE-----\n?$/.exec(text)?.[1];
  if (inside === undefined) return null;
  const base64 = inside.replaceAll("\n", "");
  const bytes = Buffer.from(base64, "base64");
  return bytes.toString("base64") === base64 ? bytes : null;
};

/** The raw bytes of a blob that names its type. */
const readBlob = (blob: Buffer | undefined): Buffer | null => {
  const [type, raw] = (blob && readStrings(blob, 2)) ?? [];
  return type && raw && type.equals(KEY_TYPE) ? raw : null;
};

export interface SshSigned {
  readonly did: unknown;
  readonly namespace: string;
  readonly text: string;
  /** Between its BEGIN and END lines. */
  readonly signature: unknown;
}

export const isSshSigned = ({ did, namespace, text, signature }: SshSigned): boolean => {
  const key = keyOfDid(did);
  const bytes = unarmour(signature);
  if (!key || !bytes || !bytes.subarray(0, MAGIC.length).equals(MAGIC)) return false;
  if (bytes.length < MAGIC.length + 4 || bytes.readUInt32BE(MAGIC.length) !== 1) return false;
  const [keyBlob, space, reserved, hashName, signatureBlob] = readStrings(bytes.subarray(MAGIC.length + 4), 5) ?? [];
  const raw = readBlob(signatureBlob);
  if (!space || !reserved || !hashName || !raw || readBlob(keyBlob)?.equals(key) !== true) return false;
  const algorithm = hashName.toString("latin1");
  if (space.toString("utf8") !== namespace || reserved.length > 0 || !HASHES.has(algorithm)) return false;
  const digest = hash(algorithm, text, "buffer");
  const message = Buffer.concat([MAGIC, ...[space, reserved, hashName, digest].map(wireString)]);
  return isSignedBy(key.toString("base64"), message, raw.toString("base64"));
};
