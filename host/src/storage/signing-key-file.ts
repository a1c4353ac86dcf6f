/**
 * `host-key.json`: the host's private keys, readable by their owner only and, when there is a passphrase, sealed with it
 * (scrypt, AES-256-GCM). Public statements stand in it in the open, so that they can be read without the passphrase.
 */
import { createCipheriv, createDecipheriv, randomBytes, scryptSync } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { narrowFile, replacePrivateFile } from "./private-file.ts";
import type { Attestation, Continuity, Revocation } from "./signing-key-statements.ts";

export interface KeyFile {
  readonly hostId: string;
  /** Base64 of 32 bytes each, the current one last. Old ones are kept to revoke themselves. */
  readonly seeds: readonly string[];
  readonly attestation: Attestation;
  readonly history: readonly Continuity[];
  readonly revoked: readonly Revocation[];
}

interface Sealed {
  readonly kdf: "scrypt";
  readonly salt: string;
  readonly nonce: string;
  readonly tag: string;
  readonly text: string;
}

interface Stored extends Omit<KeyFile, "hostId" | "seeds"> {
  readonly version: 1;
  readonly host_id: string;
  readonly seeds?: readonly string[];
  readonly sealed?: Sealed;
}

export const KEY_FILE = "host-key.json";
const CIPHER = "aes-256-gcm";
const COST = { N: 1 << 15, r: 8, p: 1, maxmem: 64 << 20 };
const SEED = /^[A-Za-z0-9+/]{43}=$/;

const keyFrom = (passphrase: string, salt: Buffer): Buffer => scryptSync(passphrase.normalize("NFC"), salt, 32, COST);

const seal = (seeds: readonly string[], passphrase: string): Sealed => {
  const [salt, nonce] = [randomBytes(16), randomBytes(12)];
  const cipher = createCipheriv(CIPHER, keyFrom(passphrase, salt), nonce);
  const text = Buffer.concat([cipher.update(JSON.stringify(seeds), "utf8"), cipher.final()]);
  return {
    kdf: "scrypt",
    salt: salt.toString("base64"),
    nonce: nonce.toString("base64"),
    tag: cipher.getAuthTag().toString("base64"),
    text: text.toString("base64"),
  };
};

const unseal = (sealed: Sealed, passphrase: string): unknown => {
  const key = keyFrom(passphrase, Buffer.from(sealed.salt, "base64"));
  const decipher = createDecipheriv(CIPHER, key, Buffer.from(sealed.nonce, "base64"), { authTagLength: 16 });
  decipher.setAuthTag(Buffer.from(sealed.tag, "base64"));
  return JSON.parse(Buffer.concat([decipher.update(Buffer.from(sealed.text, "base64")), decipher.final()]).toString());
};

export const writeKeyFile = (path: string, file: KeyFile, passphrase: string | null): void => {
  const { hostId, seeds, ...statements } = file;
  const secret = passphrase === null ? { seeds } : { sealed: seal(seeds, passphrase) };
  const stored: Stored = { version: 1, host_id: hostId, ...secret, ...statements };
  replacePrivateFile(path, `${JSON.stringify(stored, null, 2)}\n`);
};

export interface ReadKeyFile {
  readonly file: KeyFile;
  /** Whether the keys are sealed. */
  readonly isSealed: boolean;
  /** What a person should hear about the file. */
  readonly note: string | null;
}

/** Throws an Error fit for people when it cannot be read, or not without another passphrase. */
export const readKeyFile = (path: string, passphrase: string | null): ReadKeyFile => {
  const note = narrowFile(path);
  const stored = parse(path);
  const seeds = stored.seeds ?? openSealed(path, stored.sealed, passphrase);
  if (!Array.isArray(seeds) || seeds.length === 0 || !seeds.every((seed) => SEED.test(String(seed)))) {
    throw new Error(`${path} holds no signing key. ${RESTORE}`);
  }
  const { attestation, history, revoked } = stored;
  return {
    file: { hostId: stored.host_id, seeds: seeds as string[], attestation, history, revoked },
    isSealed: stored.seeds === undefined,
    note,
  };
};

/** Whose keys stand in the directory; null when there are none. Needs no passphrase. */
export const hostIdOfKeyFile = (dir: string): string | null => {
  const path = join(dir, KEY_FILE);
  return existsSync(path) ? parse(path).host_id : null;
};

const RESTORE =
  "Restore it from a backup; without it this host cannot sign as itself, and a new key makes it another host to everybody who knows it.";

const parse = (path: string): Stored => {
  try {
    const stored = JSON.parse(readFileSync(path, "utf8")) as Partial<Stored> | null;
    const isWhole =
      stored?.version === 1 &&
      typeof stored.host_id === "string" &&
      typeof stored.attestation === "object" &&
      Array.isArray(stored.history) &&
      Array.isArray(stored.revoked);
    if (isWhole) return stored as Stored;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
  throw new Error(`${path} cannot be read as a key file. ${RESTORE}`);
};

const openSealed = (path: string, sealed: Sealed | undefined, passphrase: string | null): unknown => {
  if (sealed === undefined) return null;
  if (passphrase === null) throw new Error(`${path} is sealed. Set BAILIWICK_KEY_PASSPHRASE to its passphrase.`);
  try {
    return unseal(sealed, passphrase);
  } catch {
    throw new Error(
      `BAILIWICK_KEY_PASSPHRASE does not open ${path}. Set it to the passphrase the key was sealed with.`,
    );
  }
};
