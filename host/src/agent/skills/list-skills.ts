/**
 * What one directory holds that may be skills; nothing deeper. A directory that is not there is empty. Links are followed:
 * whoever keeps the directory put them there. Names that begin with a dot are no skills.
 */
import { opendir, stat } from "node:fs/promises";
import { join } from "node:path";
import type { SkillListing } from "./order-skills.ts";
import { SKILL_LIMITS } from "./skill-limits.ts";
import { systemCode } from "./system-code.ts";

const NOT_THERE: ReadonlySet<string> = new Set(["ENOENT", "ENOTDIR"]);
const MARKDOWN = /\.md$/i;

export interface SkillDirectory {
  readonly path: string;
  readonly source: string;
}

export const listSkills = async ({ path, source }: SkillDirectory, warnings: string[]): Promise<SkillListing> => {
  const [files, folders]: [string[], string[]] = [[], []];
  let seen = 0;
  try {
    for await (const entry of await opendir(path)) {
      if (entry.name.startsWith(".")) continue;
      if (++seen > SKILL_LIMITS.entries) {
        warnings.push(
          `${path} has more than ${SKILL_LIMITS.entries} entries, and the rest is not looked at; move some out.`,
        );
        break;
      }
      const kind = entry.isSymbolicLink() ? await kindBehind(join(path, entry.name), warnings) : entry;
      if (kind?.isDirectory()) folders.push(entry.name);
      else if (kind !== null && MARKDOWN.test(entry.name)) files.push(entry.name);
    }
  } catch (error) {
    const code = systemCode(error);
    if (!NOT_THERE.has(code)) warnings.push(`${path} cannot be read (${code}); let the host's user read it.`);
  }
  return { path, source, files, folders };
};

const kindBehind = async (path: string, warnings: string[]): Promise<{ isDirectory(): boolean } | null> => {
  try {
    return await stat(path);
  } catch (error) {
    warnings.push(
      `${path} is skipped: what it links to cannot be read (${systemCode(error)}); mend or remove the link.`,
    );
    return null;
  }
};
