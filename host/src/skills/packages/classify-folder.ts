/**
 * What a folder is, by its `SKILL.md` alone: a package refers to its tools there. Nothing else of the folder is opened, so
 * that a skill costs one small file.
 */
import { lstat } from "node:fs/promises";
import { join } from "node:path";
import { readBytes } from "../read-bytes.ts";
import { SkillDefect, systemReason } from "../skill-defect.ts";
import { SKILL_LIMITS } from "../skill-limits.ts";
import { isMeantForPackage, toolsReference } from "./check-manifest.ts";
import { readFrontMatter } from "./read-front-matter.ts";

export const TOOLS_FILES: readonly string[] = ["tools.yaml", "tools.yml"];

/** `noted`: a skill about which there is something to say, since it was perhaps meant for a package. */
export type FolderKind = "package" | "noted" | "skill";

/** `wasPackage`: it is one until it plainly says something else. */
export const classifyFolder = async (root: string, wasPackage = false): Promise<FolderKind> => {
  const hasTools = await hasAny(root, TOOLS_FILES);
  const bytes = await manifestOf(root);
  const front = bytes === null ? null : await readFrontMatter(bytes);
  if (front === null || "fault" in front) return hasTools || wasPackage ? "package" : "skill";
  if (toolsReference(front) !== undefined) return "package";
  return hasTools || isMeantForPackage(front) ? "noted" : "skill";
};

const hasAny = async (root: string, names: readonly string[]): Promise<boolean> => {
  const found = await Promise.all(names.map((name) => lstat(join(root, name)).catch(orNothing)));
  return found.some((each) => each !== null);
};

/** Null: there is none that can be read. */
const manifestOf = (root: string): Promise<Buffer | null> =>
  readBytes(join(root, "SKILL.md"), SKILL_LIMITS.manifestBytes).catch(orNothing);

const orNothing = (error: unknown): null => {
  if (error instanceof SkillDefect || systemReason(error) !== null) return null;
  throw error;
};
