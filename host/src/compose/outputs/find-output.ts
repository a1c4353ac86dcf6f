/**
 * Where an output goes: strictly below a root that the configuration gives, whatever profile that has for other paths. This
 * looks at names and real paths; the file itself is opened without following any link.
 */
import { isAbsolute, join, relative, sep } from "node:path";
import { pathToFileURL } from "node:url";
import { isInside, resolveWorkspacePath, WorkspaceResolveError, type WorkspaceRoot } from "@bailiwick/contract";
import { DISK, OWN_FLAVOUR } from "../../kernel/disk-view.ts";
import type { RootList } from "../../kernel/roots.ts";
import { isInGit, nameFault, topFault } from "./closed-name.ts";
import { invalidOutput } from "./output-faults.ts";

export interface FoundOutput {
  /** The root, absolute. */
  readonly root: string;
  /** From the root, with `/` between names. */
  readonly path: string;
  /** Absolute, with the links of the root followed: what is equal here is one file. */
  readonly real: string;
  /** As answers name it: taken as an `output_path`, it leads there again. */
  readonly told: string;
  readonly uri: string;
}

const usableOf = ({ rows }: RootList): readonly WorkspaceRoot[] =>
  rows.flatMap(({ name, path }) => (path === null ? [] : [{ name, path }]));

/** ComposeError `invalid_output_path`. */
export const findOutput = (asked: string, roots: RootList): FoundOutput => {
  const usable = usableOf(roots);
  if (usable.length === 0)
    throw invalidOutput(asked, "this workspace has no configured root; list one in capabilities.roots.list");
  if (/[\\/]$/u.test(asked)) throw invalidOutput(asked, "it ends like a folder; add the name of a file");
  const file = resolve(asked, roots, usable);
  const root = usable.find(({ path }) => isInside(path, file, OWN_FLAVOUR))!;
  const names = relative(root.path, file).split(sep);
  if (names[0] === "") throw invalidOutput(asked, "it is the root itself; add the name of a file");
  const fault = names.map(nameFault).find((each) => each !== null);
  if (fault !== undefined) throw invalidOutput(asked, fault);
  const real = join(DISK.realpath(root.path) ?? root.path, ...names);
  refuseClosed(asked, real, usable);
  const told = root === usable[0] ? names.join("/") : toldIn(root, names, file);
  return { root: root.path, path: names.join("/"), real, told, uri: pathToFileURL(file).href };
};

const resolve = (asked: string, roots: RootList, usable: readonly WorkspaceRoot[]): string => {
  try {
    const how = { roots: usable, profile: "strict", flavour: OWN_FLAVOUR, view: DISK } as const;
    const file = resolveWorkspacePath(asked, how);
    // The list knows what the host keeps for itself.
    roots.resolve(file);
    return file;
  } catch (error) {
    if (error instanceof WorkspaceResolveError) throw invalidOutput(asked, error.message);
    throw error;
  }
};

/** One root may lie in another, or be a link to a folder of it. */
const refuseClosed = (asked: string, real: string, usable: readonly WorkspaceRoot[]): void => {
  if (isInGit(real.split(sep))) throw invalidOutput(asked, "it lies in what git keeps for itself");
  for (const { path } of usable) {
    const below = relative(DISK.realpath(path) ?? path, real);
    if (isAbsolute(below)) continue;
    const fault = topFault(below.split(sep));
    if (fault !== null) throw invalidOutput(asked, fault);
  }
};

const toldIn = ({ name }: WorkspaceRoot, names: readonly string[], file: string): string =>
  name === null ? file : `workspace://@${name}/${names.map(encodeURIComponent).join("/")}`;
