/** The bytes of one plain file, never more than were asked for, whatever has been put in its place meanwhile. */
import { constants } from "node:fs";
import { open } from "node:fs/promises";
import { SkillDefect } from "./skill-defect.ts";

/** A pipe is not waited for, and a link that was put there since is not followed. */
const FLAGS = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/** Throws SkillDefect. */
export const readBytes = async (at: string, most: number): Promise<Buffer> => {
  const file = await open(at, FLAGS);
  try {
    const found = await file.stat();
    if (!found.isFile()) throw new SkillDefect(`${at} is not a file any more.`);
    if (found.size > most) throw new SkillDefect(`${at} has more than ${most} bytes.`);
    const bytes = Buffer.allocUnsafe(found.size);
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
