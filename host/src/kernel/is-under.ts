/**
 * Whether a path lies inside a root, as tests of arguments ask it. Decided on real paths and always strictly: that a profile
 * lets a path pass does not put it inside anything. A root that a test names is the operator's: what a client calls its own
 * folders decides no rule.
 */
import {
  resolveWorkspacePath,
  WorkspaceResolveError,
  type PathProfile,
  type PathView,
  type WorkspaceRoot,
} from "@bailiwick/contract";
import { glanceAtDisk, OWN_FLAVOUR } from "./disk-view.ts";
import type { RootList } from "./roots.ts";

export interface UnderLists {
  /** What a path of the call means. */
  readonly called: RootList;
  /** What a folder of a test means; the same object where the client announces nothing. */
  readonly configured: RootList;
}

const SCHEME = /^workspace:/i;
const NAMED = /^workspace:\/\/@/i;

/** Roots as a moment shows them. */
interface Bases {
  readonly roots: readonly WorkspaceRoot[];
  readonly view: PathView;
}

const basesOf = ({ rows }: RootList, view: PathView): Bases => ({
  roots: rows.flatMap(({ name, path }) => (path === null ? [] : [{ name, path }])),
  view,
});

/** Absolute; false: outside of them; null: it cannot be said. */
const find = (path: string, bases: Bases, profile: PathProfile = "strict"): string | false | null => {
  try {
    return resolveWorkspacePath(path, { ...bases, profile, flavour: OWN_FLAVOUR });
  } catch (no) {
    if (!(no instanceof WorkspaceResolveError)) throw no;
    return no.kind === "path_outside_roots" ? false : null;
  }
};

const isInFolder = (at: string, folder: string, bases: Bases): boolean | null => {
  const { roots, view } = bases;
  const base = SCHEME.test(folder) ? find(folder, bases) : roots.find(({ name }) => name === folder)?.path;
  if (typeof base !== "string") return null;
  const found = find(at, { roots: [{ name: null, path: base }], view });
  return found === null ? null : found !== false;
};

/** `folder`: the name of a root or a `workspace://` folder; null: any root. */
export const isUnder = ({ called, configured }: UnderLists, path: string, folder: string | null): boolean | null => {
  const view = glanceAtDisk();
  const bases = basesOf(called, view);
  // An absolute path may lie in a folder that is no root of this call.
  const at = find(path, bases, bases.roots.length === 0 || folder === null ? "strict" : "permissive");
  if (typeof at !== "string" || folder === null) return at === null ? null : at !== false;
  const inside = isInFolder(at, folder, basesOf(configured, view));
  if (called === configured || !SCHEME.test(folder) || NAMED.test(folder)) return inside;
  // In the first root: the client's or the operator's, so it is certain only where both say the same.
  return isInFolder(at, folder, bases) === inside ? inside : null;
};
