/** The package of an entry on this machine, ready for the gate and for its start. */
import type { NameEntry, PathEntry } from "@bailiwick/contract";

export interface Located {
  /** Absolute. */
  readonly directory: string;
  /** Null: the directory has a `manifest.json`. Else what stands for one, for a package that has none. */
  readonly manifest: Readonly<Record<string, unknown>> | null;
  /** What identifies its bytes: `sha256:<hex>` of an archive, the integrity of a package of npm; null for a plain directory. */
  readonly digest: string | null;
  /** It was here before and nothing was asked of the place it came from. */
  readonly cached: boolean;
  /** For people: `mpak https://…`, `npm`, `dir /srv/bundles`, `path`. */
  readonly origin: string;
  readonly trustScore: number | null;
  readonly certificationLevel: string | null;
}

export interface LocateProgress {
  /** For people, one line: `downloading echo 1.2.0`. */
  readonly message: string;
  readonly bytes?: number;
  readonly total?: number;
}

export interface LocateOrder {
  /**
   * `copy`: what was fetched earlier is fetched anew, the same version and digest. `newest`: what was resolved earlier is
   * forgotten, which only a person who installs asks for.
   */
  readonly fresh: false | "copy" | "newest";
  readonly signal: AbortSignal;
  readonly onProgress?: (progress: LocateProgress) => void;
}

/** Rejects with Refusal `install_refused` that names the place and the next step, or with an Error fit for people. */
export type Locate = (entry: NameEntry | PathEntry, order: LocateOrder) => Promise<Located>;
