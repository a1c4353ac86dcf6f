/**
 * What configs may read: files below the roots that the operator gave the workspace. Paths are resolved strictly, whatever the
 * profile of the roots, and the files are opened without following a link.
 */
import { join, relative, sep } from "node:path";
import { isInside, resolveWorkspacePath, WorkspaceResolveError, type PathView } from "@bailiwick/contract";
import { glanceAtDisk, OWN_FLAVOUR } from "../../kernel/disk-view.ts";
import type { RootList } from "../../kernel/roots.ts";
import type { ComposeError } from "../compose-error.ts";
import { generationFailed } from "../generators/generation.ts";
import { readFault } from "../outputs/closed-name.ts";
import { FileTooLarge, readBelow } from "../storage/rooted-files.ts";
import type { RootedFiles } from "../workbench.ts";
import { readCommitted } from "./git/read-committed.ts";
import { isPlainName } from "./plain-name.ts";

export interface RootedFilesOptions {
  /** The configured ones of the workspace, as they are now; never a client's. */
  readonly roots: () => RootList;
  /** Of one file. */
  readonly maxBytes: number;
}

interface Place {
  readonly root: string;
  /** Below it, with `/` between names; empty: the root itself. */
  readonly path: string;
  readonly isLinked: boolean;
}

const MAX_TOLD = 200;
const show = (path: string): string => JSON.stringify(path.slice(0, MAX_TOLD).toWellFormed());

export const createRootedFiles = ({ roots, maxBytes }: RootedFilesOptions): RootedFiles => {
  const read = async (path: string): Promise<string | null> =>
    readPlace(locate(path, roots()), { asked: path, maxBytes });
  return {
    first: () => usableOf(roots())[0]?.path ?? null,
    read,
    template: async (name) => {
      if (!isPlainName(name)) throw refuseName(name);
      return (await read(`templates/${name}`)) ?? (await read(name));
    },
    git: (ref, path, signal) => {
      const list = roots();
      const allow = (root: string): void => void locate(join(root, path), list, path);
      return readCommitted({ roots: usableOf(list).map((root) => root.path), ref, path, allow, maxBytes, signal });
    },
  };
};

interface Usable {
  readonly name: string | null;
  readonly path: string;
}

const usableOf = ({ rows }: RootList): Usable[] =>
  rows.flatMap(({ name, path }) => (path === null ? [] : [{ name, path }]));

/** `asked` is what messages name it by. */
const locate = (path: string, list: RootList, asked = path): Place => {
  const view = glanceAtDisk();
  const roots = usableOf(list);
  try {
    // The list knows what the host keeps for itself; it may be one that lets absolute paths pass.
    list.resolve(path, view);
    const found = resolveWorkspacePath(path, { roots, profile: "strict", flavour: OWN_FLAVOUR, view });
    const root = roots.find((one) => isInside(one.path, found, OWN_FLAVOUR));
    if (root === undefined)
      throw new WorkspaceResolveError("path_outside_roots", "it leads out of the roots", { path });
    refuseClosed(asked, [found, view.realpath(found)]);
    return placeIn(root.path, found, view);
  } catch (error) {
    if (error instanceof WorkspaceResolveError) throw refusePath(asked, error, path);
    throw error;
  }
};

/** The names that lead there, as they were given and as they are: a root may be a link. */
const refuseClosed = (path: string, ways: readonly (string | null)[]): void => {
  const fault = readFault(ways.flatMap((way) => way?.split(sep) ?? []));
  if (fault !== null) throw generationFailed(`${show(path)} cannot be read: ${fault}`);
};

const placeIn = (root: string, found: string, view: PathView): Place => {
  const names = relative(root, found).split(sep);
  const [realRoot, real] = [view.realpath(root), view.realpath(found)];
  const isLinked = realRoot !== null && real !== null && relative(realRoot, real) !== relative(root, found);
  return { root, path: names.join("/"), isLinked };
};

const readPlace = async (
  { root, path, isLinked }: Place,
  { asked, maxBytes }: { readonly asked: string; readonly maxBytes: number },
): Promise<string | null> => {
  if (path === "") return null;
  if (path.includes("\\")) throw generationFailed(`${show(asked)} cannot be read: no name may hold a backslash`);
  if (isLinked) throw generationFailed(`${show(asked)} cannot be read: a link is on the way; name the file itself`);
  try {
    return (await readBelow(root, path, maxBytes))?.text ?? null;
  } catch (error) {
    if (error instanceof FileTooLarge)
      throw generationFailed(`${show(asked)} cannot be read: it has more than ${maxBytes} bytes`);
    const { code } = error as NodeJS.ErrnoException;
    if (code === undefined) throw error;
    throw generationFailed(`${show(asked)} cannot be read (${code}); let the host read it`);
  }
};

const refusePath = (path: string, { kind, message }: WorkspaceResolveError, located: string): ComposeError =>
  generationFailed(
    kind === "no_workspace_roots"
      ? `${show(path)} cannot be read: the workspace has no usable root; set capabilities.roots.list in bailiwick.json`
      : message.startsWith('"')
        ? message.replace(located, () => path)
        : `${show(path)} cannot be read: ${message}`,
    { path: path.slice(0, MAX_TOLD).toWellFormed(), kind },
  );

const refuseName = (name: string): ComposeError =>
  generationFailed(
    `Template refused: ${show(name)} is no name below templates/; write one such as report.md or parts/head.md`,
  );
