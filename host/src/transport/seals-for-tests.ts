/** Seals with a key that lives as long as the test. The host's own, which keep theirs in a file, are another room's. */
import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";
import type { Seals } from "../kernel/seal.ts";

export const makeSeals = (): Seals => {
  const key = randomBytes(32);
  return {
    seal: (purpose, plain) => {
      const nonce = randomBytes(12);
      const cipher = createCipheriv("aes-256-gcm", key, nonce).setAAD(Buffer.from(purpose));
      const text = Buffer.concat([nonce, cipher.update(plain, "utf8"), cipher.final(), cipher.getAuthTag()]);
      return `bw1.${text.toString("base64url")}`;
    },
    unseal: (purpose, sealed) => {
      const bytes = Buffer.from(sealed.slice(4), "base64url");
      if (`bw1.${bytes.toString("base64url")}` !== sealed || bytes.length < 28) return null;
      const decipher = createDecipheriv("aes-256-gcm", key, bytes.subarray(0, 12), { authTagLength: 16 });
      decipher.setAAD(Buffer.from(purpose)).setAuthTag(bytes.subarray(-16));
      try {
        return decipher.update(bytes.subarray(12, -16), undefined, "utf8") + decipher.final("utf8");
      } catch {
        return null;
      }
    },
    secret: (purpose) => `${key.toString("hex")}${purpose}`,
  };
};
