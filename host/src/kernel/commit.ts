/** Commitment to text that is not kept: without the salt nobody can guess it. */
import { createHash, hash } from "node:crypto";

const scratch = Buffer.alloc(65_536);

export const commit = (salt: Buffer, text: string): string => {
  if (salt.length + text.length * 3 > scratch.length) {
    // Copies of what is as large as a file would cost more than the hash.
    return createHash("sha256").update(salt).update(text).digest("hex");
  }
  salt.copy(scratch);
  return hash("sha256", scratch.subarray(0, salt.length + scratch.write(text, salt.length)));
};
