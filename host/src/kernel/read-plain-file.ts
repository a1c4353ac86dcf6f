/** The bytes of one plain file, never more than were asked for, whatever has been put in its place meanwhile. */
import { constants } from "node:fs";
import { open } from "node:fs/promises";

/** A pipe is not waited for, and a link that was put there since is not followed. */
const FLAGS = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/** `real`: as `realpath` has it. Null: it is no plain file. One byte above `most` tells that there is more. */
export const readPlainFile = async (real: string, most: number): Promise<Buffer | null> => {
  const file = await open(real, FLAGS);
  try {
    const found = await file.stat();
    if (!found.isFile()) return null;
    const bytes = Buffer.allocUnsafe(Math.min(found.size, most) + 1);
    let filled = 0;
    while (filled < bytes.length) {
      const { bytesRead } = await file.read(bytes, filled, bytes.length - filled, filled);
      if (bytesRead === 0) break;
      filled += bytesRead;
    }
    return bytes.subarray(0, filled);
  } finally {
    await file.close();
  }
};
