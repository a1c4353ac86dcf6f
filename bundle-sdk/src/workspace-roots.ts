/** The folders that a tool may work in, and the way from a caller's path to a file in them. */
import { type FileHandle, open } from "node:fs/promises";
import {
  isInside,
  type PathFlavour,
  type PathProfile,
  readRootUri,
  resolveWorkspacePath,
  type WorkspaceRoot,
} from "@bailiwick/contract/roots";
import { diskView } from "./disk-view.ts";
import { isRecord } from "./is-record.ts";
import { openWorkspaceFile } from "./open-workspace-file.ts";
import { readFlags } from "./read-flags.ts";

/** A `file:` URI or an absolute path, or one with a name for `workspace://@name/…`, as `roots/list` gives them. */
export type RootLike =
  | string
  | {
      readonly name?: string | null | undefined;
      readonly uri: string;
      /** Where it lies, if that was read from the URI before. */
      readonly path?: string;
    };

export interface RootEntry {
  readonly name: string | null;
  /** As it was given. */
  readonly uri: string;
  /** Null: nothing is resolved in it. */
  readonly path: string | null;
  /** Why not; null: it is a base. */
  readonly reason: string | null;
}

export interface WorkspaceRootsOptions {
  /** Strict unless told: absolute paths count only inside a root. Permissive hands them on as they are. */
  readonly profile?: PathProfile;
}

const FLAVOUR: PathFlavour = process.platform === "win32" ? "win32" : "posix";

const entryOf = (root: RootLike): RootEntry => {
  const { name, uri, path }: Exclude<RootLike, string> = typeof root === "string" ? { uri: root } : root;
  const reading = readRootUri(path ?? uri, FLAVOUR);
  const base = "path" in reading ? { path: reading.path, reason: null } : { path: null, reason: reading.reason };
  return Object.freeze({ name: name ?? null, uri, ...base });
};

export class WorkspaceRoots {
  readonly profile: PathProfile;
  readonly #entries: readonly RootEntry[];
  readonly #usable: readonly WorkspaceRoot[];

  constructor(roots: readonly RootLike[], { profile = "strict" }: WorkspaceRootsOptions = {}) {
    this.profile = profile;
    this.#entries = Object.freeze(roots.map(entryOf));
    this.#usable = this.#entries.flatMap(({ name, path }) => (path === null ? [] : [{ name, path }]));
  }

  /**
   * From the answer to `roots/list`. Roots that are no files stay in the list and are never a base, and where one lies says
   * its URI alone.
   */
  static fromClientRoots(roots: readonly RootLike[], options?: WorkspaceRootsOptions): WorkspaceRoots {
    const said = roots.map((root) => (typeof root === "string" ? root : { name: root.name, uri: root.uri }));
    return new WorkspaceRoots(said, options);
  }

  /** From the `_meta` of a call, where the host says which roots count for it. Null: it gave none. */
  static fromMeta(meta: unknown): WorkspaceRoots | null {
    const given = isRecord(meta) && isRecord(meta["dcc"]) ? meta["dcc"]["workspace_roots"] : null;
    if (!isRecord(given) || !Array.isArray(given["roots"])) return null;
    const roots = given["roots"].flatMap((root: unknown) => {
      if (!isRecord(root)) return [];
      const { name, uri, path } = root;
      if (typeof uri !== "string" || typeof path !== "string") return [];
      return [{ name: typeof name === "string" ? name : null, uri, path }];
    });
    return new WorkspaceRoots(roots, { profile: given["profile"] === "permissive" ? "permissive" : "strict" });
  }

  roots(): readonly RootEntry[] {
    return this.#entries;
  }

  /** The absolute path. Throws WorkspaceResolveError. */
  resolve(path: string): string {
    return resolveWorkspacePath(path, { roots: this.#usable, profile: this.profile, flavour: FLAVOUR, view: diskView });
  }

  /**
   * The open file, as `open` of node:fs/promises gives it. Between `resolve` and opening a folder can become a link; here that
   * leads nowhere: in a root no link out of it is followed, in either profile. Other systems than Linux cannot make files so.
   */
  async open(path: string, flags: string | number = "r", mode = 0o666): Promise<FileHandle> {
    const order = { asked: path, flags: readFlags(flags), mode, flavour: FLAVOUR };
    const resolved = this.resolve(path);
    const root = this.#rootOf(resolved);
    if (root === null) return open(resolved, order.flags, mode);
    return openWorkspaceFile({ ...order, root, resolve: () => this.resolve(path) });
  }

  /** The innermost, since a root in a root may be reached by a link, and what lies between may not. */
  #rootOf(path: string): WorkspaceRoot | null {
    const around = this.#usable.filter((root) => isInside(root.path, path, FLAVOUR));
    return around.toSorted((one, other) => other.path.length - one.path.length)[0] ?? null;
  }
}
