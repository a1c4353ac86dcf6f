/** The folders of the host's workspaces that tools may work in, as the configuration has them now. */
import { join } from "node:path";
import type { RootsOf } from "../kernel/roots.ts";
import { createRoots } from "../workspace/roots/create-roots.ts";
import { resolvePath, type PathBase } from "./resolve-path.ts";
import type { Settings } from "./workspace-room.ts";

export interface RootPlaces {
  readonly workDir: string;
  /** What paths of the configuration are relative to. */
  readonly base: PathBase;
}

export const openRoots = (host: Settings, { workDir, base }: RootPlaces): RootsOf =>
  createRoots({
    settings: () => host.config.capabilities.roots,
    projectDir: (workspace) => join(workDir, "workspaces", workspace, "project"),
    resolvePath: (given) => resolvePath(given, base),
    home: base.home,
    workDir,
    flavour: process.platform === "win32" ? "win32" : "posix",
  });
