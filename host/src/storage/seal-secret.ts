/**
 * The host's secret, 32 random bytes in `seal.key`, and the keys made of it: one a purpose, by HKDF. Without the file nothing
 * that was sealed can be read; there is no way back from losing it but to start over.
 */
import { createSecretKey, hkdfSync, randomBytes, type KeyObject } from "node:crypto";
import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { createPrivateFile } from "./private-file.ts";

const KEY_BYTES = 32;
const SECRET = /^[A-Za-z0-9_-]{43}$/;

export const sealFile = (dir: string): string => join(dir, "seal.key");

/** Makes the secret where there is none. Throws an Error fit for people when the file is damaged. */
export const readSealSecret = (dir: string): Buffer => {
  const path = sealFile(dir);
  mkdirSync(dir, { recursive: true, mode: 0o700 });
  if (!existsSync(path)) createPrivateFile(path, `${randomBytes(KEY_BYTES).toString("base64url")}\n`);
  const text = readFileSync(path, "utf8").trim();
  if (SECRET.test(text)) return Buffer.from(text, "base64url");
  throw new Error(
    `${path} holds no secret. Restore it from a backup, or remove it: the next start makes a new one, and people sign in to their servers again.`,
  );
};

export const sealKey = (secret: Buffer, purpose: string): KeyObject => {
  const bytes = hkdfSync("sha256", secret, "", `bailiwick/seal/${purpose}`, KEY_BYTES);
  // Half the price of bytes, which would be made into a key for each seal.
  return createSecretKey(Buffer.from(bytes));
};
