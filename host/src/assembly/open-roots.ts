/** The folders of the host's workspaces that tools may work in, as the configuration has them now. */
import { join, parse } from "node:path";
import type { RootList, RootsOf } from "../kernel/roots.ts";
import { createRoots } from "../workspace/roots/create-roots.ts";
import { resolvePath, type PathBase } from "./resolve-path.ts";
import type { Settings } from "./workspace-room.ts";

interface RootPlaces {
  readonly workDir: string;
  readonly configFile: string;
  /** What paths of the configuration are relative to. */
  readonly base: PathBase;
}

export interface OpenedRoots {
  readonly of: RootsOf;
  /** Folders that clients of a workspace announced and were believed with since the start of the host. */
  believed(workspace: string): readonly string[];
}

const MOST = 1_000;

export const openRoots = (host: Settings, { workDir, configFile, base }: RootPlaces): OpenedRoots => {
  const seen = new Map<string, Set<string>>();
  const rootsOf = createRoots({
    settings: () => host.config.capabilities.roots,
    projectDir: (workspace) => join(workDir, "workspaces", workspace, "project"),
    resolvePath: (given) => resolvePath(given, base),
    home: base.home,
    workDir,
    configFile,
    flavour: process.platform === "win32" ? "win32" : "posix",
  });
  const remember = (workspace: string, { rows }: RootList): void => {
    const known = seen.get(workspace) ?? new Set<string>();
    seen.set(workspace, known);
    // Where there were too many to be remembered, any place may have been one.
    for (const { path } of rows) if (path !== null) known.add(known.size < MOST ? path : parse(path).root);
  };
  return {
    of: (asked) => {
      const list = rootsOf(asked);
      if (asked.clientRoots !== null) remember(asked.workspace, list);
      return list;
    },
    believed: (workspace) => [...(seen.get(workspace) ?? [])],
  };
};
