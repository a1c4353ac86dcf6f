/** The roots that an operator wrote down, or the one that each workspace has where nobody did. What cannot be used is listed with the reason. */
import { mkdirSync, statSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { readRootUri, type Config, type PathFlavour } from "@bailiwick/contract";
import type { Root } from "./root-list.ts";

export type RootSettings = Config["capabilities"]["roots"];

export interface ConfiguredOptions {
  /** Of a workspace: where its files lie unless roots are configured. */
  readonly projectDir: (workspace: string) => string;
  /** A path of the configuration as an absolute one. */
  readonly resolvePath: (path: string) => string;
  readonly flavour: PathFlavour;
}

const NAME = /^[A-Za-z0-9._-]{1,64}$/;
const DEFAULT_NAME = "project";
const OR_ELSE = "or write another path in capabilities.roots.list";

export const configuredRoots = (
  { list }: Pick<RootSettings, "list">,
  workspace: string,
  options: ConfiguredOptions,
): readonly Root[] => {
  if (list === undefined) return [projectRoot(workspace, options)];
  const seen = new Set<string>();
  return list.map(({ name, path }) => {
    const written = /^file:/i.test(path) ? path : options.resolvePath(path);
    const root = readRoot(name, written, options.flavour);
    const fault = nameFault(name, seen);
    seen.add(name);
    return fault === null ? checked(root) : { ...root, path: null, reason: fault };
  });
};

const projectRoot = (workspace: string, options: ConfiguredOptions): Root => {
  const dir = options.projectDir(workspace);
  const root = readRoot(DEFAULT_NAME, dir, options.flavour);
  try {
    mkdirSync(dir, { recursive: true, mode: 0o700 });
    return { ...root, holds: () => folderFault(dir) === null };
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? "unknown error";
    const reason = `its folder in the host's work directory cannot be made (${code})`;
    // Tried again each time.
    return { ...root, path: null, reason, holds: () => false };
  }
};

const checked = (root: Root): Root => {
  const { path } = root;
  if (path === null) return root;
  const fault = folderFault(path);
  const holds = (): boolean => folderFault(path) === fault;
  return fault === null ? { ...root, holds } : { ...root, path: null, reason: fault, holds };
};

/** Null: it is a folder. */
const folderFault = (path: string): string | null => {
  try {
    const found = statSync(path, { throwIfNoEntry: false });
    if (found === undefined) return `there is no such folder; make it, ${OR_ELSE}`;
    return found.isDirectory() ? null : `it is no folder; make one there, ${OR_ELSE}`;
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? "unknown error";
    return `it cannot be looked at (${code}); let the host read it, ${OR_ELSE}`;
  }
};

const readRoot = (name: string, written: string, flavour: PathFlavour): Root => {
  const read = readRootUri(written, flavour);
  if ("reason" in read) return { name, uri: written, path: null, reason: read.reason };
  const uri = pathToFileURL(read.path, { windows: flavour === "win32" }).href;
  return { name, uri, path: read.path, reason: null };
};

const nameFault = (name: string, seen: ReadonlySet<string>): string | null => {
  if (!NAME.test(name))
    return "its name is not made of 1 to 64 letters, digits, dots, _ and -; rename it in capabilities.roots.list";
  return seen.has(name) ? `another root is named ${JSON.stringify(name)}; rename one in capabilities.roots.list` : null;
};
