/** A workspace's own configuration as the host uses it: every default filled in, entries sorted by kind, frozen. */
import type { Config } from "../config/config.ts";

export interface WorkspaceConfig extends Pick<
  Config,
  "bundles" | "noDefaultBundles" | "skillDirs" | "agents" | "identity" | "policy" | "given"
> {
  readonly name?: string | undefined;
  /** Principals, as `person:ann`. */
  readonly members: readonly string[];
}
