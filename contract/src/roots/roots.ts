/** The words of workspace roots. */
export type PathProfile = "strict" | "permissive";

/** Whose rules a path follows: a string is read alike wherever the host runs. */
export type PathFlavour = "posix" | "win32";

/** A folder that paths are resolved in. */
export interface WorkspaceRoot {
  /** For `workspace://@name/…`; null: it has none. */
  readonly name: string | null;
  /** Absolute. */
  readonly path: string;
}

/** What is on disk, asked while a path is resolved. */
export interface PathView {
  /** With every link followed; null: nothing is there. Throws nothing. */
  realpath(path: string): string | null;
  /** Something has this name, be it a link that leads nowhere. */
  exists(path: string): boolean;
}

export type ResolveFault =
  | "no_workspace_roots"
  | "invalid_path"
  | "path_outside_roots"
  | "unknown_root"
  | "unsupported_scheme";

/** A path that is not given out. The message names no absolute path of the host. */
export class WorkspaceResolveError extends Error {
  override readonly name = "WorkspaceResolveError";
  readonly kind: ResolveFault;
  /** As it was given. */
  readonly path: string;
  /** The root's name, where one is meant. */
  readonly root: string | null;

  constructor(kind: ResolveFault, message: string, about: { readonly path: string; readonly root?: string | null }) {
    super(message);
    this.kind = kind;
    this.path = about.path;
    this.root = about.root ?? null;
  }
}

/** JSON-RPC codes of the two refusals that tools may have to tell apart. */
export const CAPABILITY_MISSING = -32001;
export const NO_WORKSPACE_ROOTS = -32602;
