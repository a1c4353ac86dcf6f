/** Where the skills of a workspace lie, in load order: a later skill stands in for an earlier one of its name. Pure. */
import { join } from "node:path";
import type { SkillDir } from "../skills/packages/package-library.ts";
import { resolvePath } from "./resolve-path.ts";

export interface SkillPlaces {
  /** What relative paths of `own` are relative to. */
  readonly baseDir: string;
  /** Of the user. */
  readonly home: string;
  /** Of the workspace. */
  readonly workspaceDir: string;
}

/** `own`: `skillDirs` of the configuration. */
export const skillDirs = (
  own: readonly string[],
  { baseDir, home, workspaceDir }: SkillPlaces,
): readonly SkillDir[] => [
  { path: join(home, ".bailiwick", "skills"), source: "user" },
  { path: join(home, ".nimblebrain", "skills"), source: "user" },
  ...own.map((dir) => ({ path: resolvePath(dir, { baseDir, home }), source: "config" })),
  { path: join(workspaceDir, "skills"), source: "workspace" },
];
