/** What the sources of packages are made from, and how much they take from strangers. */
import type { Config } from "@bailiwick/contract";
import type { NetworkRules } from "../legs/network-guard.ts";
import type { ManifestProfile } from "../manifest.ts";

export interface SourcesOptions {
  readonly workDir: string;
  /** Whose bundles are located; what was resolved once is remembered for each workspace apart. */
  readonly workspace?: string;
  /** Directory of the configuration file. */
  readonly baseDir: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly registries: Config["registries"];
  readonly rules: NetworkRules;
  /** A node for npm where the search path has none. */
  readonly nodePath: string;
  readonly platform?: NodeJS.Platform;
  readonly arch?: string;
  /** For descriptors of remote servers, which have no other gate. */
  readonly profile?: ManifestProfile;
  readonly hostResources: Config["hostResources"];
  /** Hears of bugs. */
  readonly report: (error: unknown) => void;
  /** For tests only. */
  readonly limits?: Partial<SourceLimits>;
}

export interface SourceLimits {
  /** Of an archive, and of what comes out of it. */
  readonly maxBytes: number;
  readonly maxFiles: number;
  readonly maxAnswerBytes: number;
  /** For one question to a registry, its redirects included. */
  readonly answerMs: number;
  /** How long a download may stand still. */
  readonly idleMs: number;
  readonly downloadMs: number;
}

export const SOURCE_LIMITS: SourceLimits = {
  maxBytes: 500 * 1024 * 1024,
  maxFiles: 20_000,
  maxAnswerBytes: 4 * 1024 * 1024,
  answerMs: 10_000,
  idleMs: 30_000,
  downloadMs: 30 * 60_000,
};
