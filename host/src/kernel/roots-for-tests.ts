/** For tests: roots that are just these folders, whoever calls; a test may exchange them at any time. */
import { hash } from "node:crypto";
import { pathToFileURL } from "node:url";
import { resolveWorkspacePath, type PathProfile } from "@bailiwick/contract";
import { DISK, OWN_FLAVOUR } from "./disk-view.ts";
import { rawJson } from "./raw-json.ts";
import type { RootList, RootsOf } from "./roots.ts";

/** By name; the first is the first root. */
export const rootListOf = (dirs: Readonly<Record<string, string>>, profile: PathProfile = "strict"): RootList => {
  const rows = Object.entries(dirs).map(([name, path]) => ({
    name,
    uri: pathToFileURL(path).href,
    path,
    reason: null,
  }));
  const roots = rows.map(({ name, uri, path }) => ({ name, uri, path }));
  const json = rawJson(rows.length === 0 ? "null" : JSON.stringify({ profile, roots }));
  return {
    profile,
    supportsRoots: false,
    count: rows.length,
    rows,
    json,
    listing: rawJson(JSON.stringify({ roots: rows.map(({ name, uri }) => ({ uri, name })) })),
    digest: rows.length === 0 ? null : `sha256:${hash("sha256", json)}`,
    resolve: (path, view = DISK) => resolveWorkspacePath(path, { roots, profile, flavour: OWN_FLAVOUR, view }),
  };
};

const EMPTY = rootListOf({});

export const NO_ROOTS: RootsOf = () => EMPTY;
