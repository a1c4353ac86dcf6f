/** Commitment to text that is not kept: without the salt nobody can guess it. */
import { hash } from "node:crypto";

const scratch = Buffer.alloc(65_536);

export const commit = (salt: Buffer, text: string): string => {
  if (salt.length + text.length * 3 > scratch.length) {
    return hash("sha256", Buffer.concat([salt, Buffer.from(text, "utf8")]));
  }
  salt.copy(scratch);
  return hash("sha256", scratch.subarray(0, salt.length + scratch.write(text, salt.length)));
};
