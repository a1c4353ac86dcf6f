/**
 * Whether a path lies inside a root, as tests of arguments ask it. Decided on real paths and always strictly: that a profile
 * lets a path pass does not put it inside anything.
 */
import { resolveWorkspacePath, WorkspaceResolveError, type WorkspaceRoot } from "@bailiwick/contract";
import { DISK, OWN_FLAVOUR } from "./disk-view.ts";
import type { RootList } from "./roots.ts";

const SCHEME = /^workspace:/i;

/** Absolute, inside one of these; false: outside of them; null: it cannot be said. */
const find = (path: string, roots: readonly WorkspaceRoot[]): string | false | null => {
  try {
    return resolveWorkspacePath(path, { roots, profile: "strict", flavour: OWN_FLAVOUR, view: DISK });
  } catch (no) {
    if (!(no instanceof WorkspaceResolveError)) throw no;
    return no.kind === "path_outside_roots" ? false : null;
  }
};

/** `folder`: the name of a root or a `workspace://` folder; null: any root. */
export const isUnder = (list: RootList, path: string, folder: string | null): boolean | null => {
  const roots = list.rows.flatMap(({ name, path: base }) => (base === null ? [] : [{ name, path: base }]));
  const at = find(path, roots);
  if (typeof at !== "string" || folder === null) return at === null ? null : at !== false;
  const base = SCHEME.test(folder) ? find(folder, roots) : roots.find(({ name }) => name === folder)?.path;
  if (typeof base !== "string") return null;
  const inside = find(at, [{ name: null, path: base }]);
  return inside === null ? null : inside !== false;
};
