/**
 * The absolute path that a caller's path stands for, or a WorkspaceResolveError. It is contained in a root on real paths; only
 * the permissive profile hands on absolute paths as they are. Whoever opens the file must still follow no link on the way:
 * what is true here may be untrue a moment later.
 */
import { type AbsolutePath, joinAbsolute, splitAbsolute } from "./absolute-path.ts";
import { findNameFault } from "./find-name-fault.ts";
import { findRealPath } from "./find-real-path.ts";
import { namesBelow } from "./is-inside.ts";
import { type AskedPath, readAskedPath } from "./read-asked-path.ts";
import {
  type PathFlavour,
  type PathProfile,
  type PathView,
  WorkspaceResolveError,
  type WorkspaceRoot,
} from "./roots.ts";

interface ResolveOptions {
  readonly roots: readonly WorkspaceRoot[];
  readonly profile: PathProfile;
  readonly flavour: PathFlavour;
  readonly view: PathView;
}

const outside = (path: string, root: string | null): WorkspaceResolveError => {
  const where = root === null ? "the workspace roots" : `the root "${root}"`;
  const message = `"${path}" leads out of ${where}; write workspace://folder/name, without .. and links to elsewhere`;
  return new WorkspaceResolveError("path_outside_roots", message, { path, root });
};

const refuseBadNames = (path: string, names: readonly string[], flavour: PathFlavour): void => {
  const fault = findNameFault(names, flavour);
  if (fault !== null) throw new WorkspaceResolveError("invalid_path", fault, { path });
};

const folderOf = (root: WorkspaceRoot, flavour: PathFlavour): AbsolutePath => {
  const folder = splitAbsolute(root.path, flavour);
  if (folder === null) throw new TypeError("A workspace root has no absolute path of this flavour.");
  return folder;
};

/** An absolute path in the strict profile: it counts if it lies in any root, and is then spelled as that root is. */
const findInRoots = (input: string, path: string, { roots, flavour, view }: ResolveOptions): string => {
  const asked = splitAbsolute(path, flavour);
  if (asked === null) throw outside(input, null);
  refuseBadNames(input, asked.names, flavour);
  const real = findRealPath(asked, flavour, view);
  if (real === null) throw outside(input, null);
  for (const root of roots) {
    const folder = folderOf(root, flavour);
    const realFolder = findRealPath(folder, flavour, view);
    const below = realFolder === null ? null : namesBelow(realFolder, real, flavour);
    if (below === null) continue;
    const names = namesBelow(folder, asked, flavour) ?? below;
    return joinAbsolute({ top: folder.top, names: [...folder.names, ...names] }, flavour);
  }
  throw outside(input, null);
};

const chooseRoot = (input: string, name: string | null, roots: readonly WorkspaceRoot[]): WorkspaceRoot => {
  const root = name === null ? roots[0] : roots.find((one) => one.name === name);
  if (root !== undefined) return root;
  const known = roots.flatMap((one) => (one.name === null ? [] : [`@${one.name}`])).slice(0, 10);
  const next = known.length === 0 ? "leave the name out" : `there is ${known.join(", ")}`;
  throw new WorkspaceResolveError("unknown_root", `no root is named "${name}"; ${next}`, { path: input, root: name });
};

const joinToRoot = (input: string, asked: AskedPath & { from: "root" | "here" }, options: ResolveOptions): string => {
  const { roots, flavour, view } = options;
  const root = chooseRoot(input, asked.root, roots);
  if (asked.names === null) throw outside(input, root.name);
  refuseBadNames(input, asked.names, flavour);
  const folder = folderOf(root, flavour);
  const joined = { top: folder.top, names: [...folder.names, ...asked.names] };
  const realFolder = findRealPath(folder, flavour, view);
  const real = findRealPath(joined, flavour, view);
  if (realFolder === null || real === null || namesBelow(realFolder, real, flavour) === null) {
    throw outside(input, root.name);
  }
  return joinAbsolute(joined, flavour);
};

export const resolveWorkspacePath = (input: string, options: ResolveOptions): string => {
  const asked = readAskedPath(input, options.flavour);
  if (asked.from === "top") {
    return options.profile === "permissive" ? asked.path : findInRoots(input, asked.path, options);
  }
  if (options.roots.length > 0) return joinToRoot(input, asked, options);
  if (asked.from === "root" || options.profile === "strict") {
    const message = `no workspace roots advertised by client; cannot resolve "${input}"`;
    throw new WorkspaceResolveError("no_workspace_roots", message, { path: input });
  }
  if (asked.names === null) throw outside(input, null);
  return input;
};
