/** Where the skills of a workspace lie, in load order: a later skill stands in for an earlier one of its name. Pure. */
import { join } from "node:path";
import { fileURLToPath } from "node:url";
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

/** Those that are shipped with the host. */
const BUILT_IN = fileURLToPath(new URL("../../skills", import.meta.url));

/** `own`: `skillDirs` of the configuration. */
export const skillDirs = (
  own: readonly string[],
  { baseDir, home, workspaceDir }: SkillPlaces,
): readonly SkillDir[] => [
  { path: BUILT_IN, source: "built-in" },
  { path: join(home, ".bailiwick", "skills"), source: "user" },
  { path: join(home, ".nimblebrain", "skills"), source: "user" },
  ...own.map((dir) => ({ path: resolvePath(dir, { baseDir, home }), source: "config" })),
  { path: join(workspaceDir, "skills"), source: "workspace" },
];
