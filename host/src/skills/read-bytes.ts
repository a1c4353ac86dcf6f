/** The bytes of a file of a skill, never more than were asked for, whatever has been put in its place meanwhile. */
import { readPlainFile } from "../kernel/read-plain-file.ts";
import { SkillDefect } from "./skill-defect.ts";

/** `at`: as `realpath` has it. Throws SkillDefect. */
export const readBytes = async (at: string, most: number): Promise<Buffer> => {
  const bytes = await readPlainFile(at, most);
  if (bytes === null) throw new SkillDefect(`${at} is not a file any more.`);
  if (bytes.length > most) throw new SkillDefect(`${at} has more than ${most} bytes.`);
  return bytes;
};
