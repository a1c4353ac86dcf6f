/** The folders that tools of one call may work in, and how a path is found in them. */
import type { PathProfile, PathView } from "@bailiwick/contract";
import type { RawJson } from "./raw-json.ts";

/** What a legacy client said when it was asked for its roots; a new object for each answer. */
export interface ClientRoots {
  readonly listed: readonly { readonly uri: string; readonly name: string | null }[];
  /** How many it named, whatever was kept of them; absent: those that are listed. */
  readonly announced?: number;
  /** A client on a pipe runs on this machine; one that comes over the network may be anywhere. */
  readonly via: "stdio" | "http";
}

export interface RootRow {
  readonly name: string | null;
  /** As it was announced or configured. */
  readonly uri: string;
  /** Absolute; null: it is no base. */
  readonly path: string | null;
  /** Why it is no base; null: it is one. */
  readonly reason: string | null;
}

/** In force for one call. The same object while nothing changed, on disk neither: asked for anew, it is what holds then. */
export interface RootList {
  readonly profile: PathProfile;
  /** The caller is a client that announces roots. */
  readonly supportsRoots: boolean;
  /** How many the client announced, or else how many there are. */
  readonly count: number;
  /** In order; the first with a path is the first root. */
  readonly rows: readonly RootRow[];
  /** `{"profile":…,"roots":[{"name","uri","path"}]}`, or `null` where no root is usable. */
  readonly json: RawJson;
  /** The result of `roots/list`: `{"roots":[{"uri","name"}]}`, usable ones only. */
  readonly listing: RawJson;
  /** `sha256:<hex>` of `json`; null: no root is usable. */
  readonly digest: string | null;
  /** The absolute path. Throws WorkspaceResolveError. Looks at the file system, or at what was seen of it a moment ago. */
  resolve(path: string, view?: PathView): string;
}

export interface RootsAsked {
  readonly workspace: string;
  readonly clientRoots: ClientRoots | null;
}

export type RootsOf = (asked: RootsAsked) => RootList;

/** A tool works on the host's files when it requires any of these. */
export const worksOnFiles = (required: readonly string[]): boolean =>
  required.some((name) => name.startsWith("filesystem."));
