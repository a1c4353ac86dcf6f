/** The roots that are in force for calls of one workspace and, perhaps, one client; made once, asked for every path. */
import { hash } from "node:crypto";
import {
  resolveWorkspacePath,
  WorkspaceResolveError,
  type PathFlavour,
  type PathProfile,
  type PathView,
} from "@bailiwick/contract";
import { DISK } from "../../kernel/disk-view.ts";
import { rawJson, type RawJson } from "../../kernel/raw-json.ts";
import type { RootList, RootRow } from "../../kernel/roots.ts";

/** A row, and whether what it says is still so: folders come and go, and links are changed. Absent: it is so for good. */
export interface Root extends RootRow {
  readonly holds?: (view: PathView) => boolean;
}

type Usable = Root & { readonly path: string };

export interface RootListOptions {
  readonly roots: readonly Root[];
  readonly profile: PathProfile;
  /** Null: the caller announces none. */
  readonly announced: number | null;
  readonly flavour: PathFlavour;
  /** A place that no path may lead to, whatever root it lies in. */
  readonly isClosed: (path: string, view: PathView) => boolean;
}

export const createRootList = ({ roots, profile, announced, flavour, isClosed }: RootListOptions): RootList => {
  const usable = roots.filter((root): root is Usable => root.path !== null);
  const json = jsonOf(usable, profile);
  return {
    profile,
    supportsRoots: announced !== null,
    count: announced ?? roots.length,
    rows: roots.map(({ name, uri, path, reason }) => ({ name, uri, path, reason })),
    json,
    listing: listingOf(usable),
    digest: usable.length === 0 ? null : `sha256:${hash("sha256", json)}`,
    resolve: (path, view = DISK) => {
      const found = resolveWorkspacePath(path, { roots: usable, profile, flavour, view });
      if (!isClosed(found, view)) return found;
      throw new WorkspaceResolveError("path_outside_roots", "it leads to what the host keeps for itself", { path });
    },
  };
};

const jsonOf = (usable: readonly Usable[], profile: PathProfile): RawJson =>
  usable.length === 0
    ? rawJson("null")
    : rawJson(JSON.stringify({ profile, roots: usable.map(({ name, uri, path }) => ({ name, uri, path })) }));

const listingOf = (usable: readonly Usable[]): RawJson =>
  rawJson(JSON.stringify({ roots: usable.map(({ uri, name }) => (name === null ? { uri } : { uri, name })) }));
