/**
 * The host's configuration as other workspaces take it over: its paths absolute, because relative ones start from the directory
 * of the file that they stand in, and a workspace's file lies elsewhere. Pure.
 */
import type { Config } from "@bailiwick/contract";
import { resolvePath, type PathBase } from "./resolve-path.ts";

export const absolutePaths = (config: Config, base: PathBase): Config => {
  const { registries, sandbox } = config;
  const all = (paths: readonly string[]): string[] => paths.map((path) => resolvePath(path, base));
  return {
    ...config,
    registries: registries.map((each) =>
      each.type === "dir" ? { type: each.type, path: resolvePath(each.path, base) } : each,
    ),
    sandbox: { ...sandbox, read: all(sandbox.read), write: all(sandbox.write) },
  };
};
