/** What the bundles of a host are made from. */
import type { BundleEntry, Config } from "@bailiwick/contract";
import type { HostExtensions } from "../kernel/host-extension.ts";
import type { ProviderSink } from "../kernel/provider.ts";
import type { RawJson } from "../kernel/raw-json.ts";
import type { BundleEvent } from "./bundle-event.ts";
import type { Ground } from "./ground.ts";
import type { Locate } from "./located.ts";
import type { OAuthOptions } from "./oauth/accounts.ts";
import type { StoppedByPerson } from "./stopped-by-person.ts";
import type { Timing } from "./timing.ts";

type ResolvedEntry =
  | {
      readonly ok: true;
      readonly entry: BundleEntry;
      /** Every value that was put in; absent when none was. */
      readonly secrets: readonly string[];
    }
  | { readonly ok: false; readonly unresolved: readonly { readonly message: string }[] };

export interface BundlesOptions {
  /** What the bundles of all workspaces share. */
  readonly ground: Ground;
  /** Finds the packages of entries. */
  readonly locate: Locate;
  /** Those that a person stopped do not start by themselves. */
  readonly stopped: StoppedByPerson;
  /** Id of the workspace whose bundles these are. */
  readonly workspace: string;
  /** As it is now; read anew for every bundle that is made. */
  readonly config: Pick<
    Config,
    | "bundles"
    | "restart"
    | "manifestProfile"
    | "allowInsecureRemotes"
    | "allowPrivateRemotes"
    | "mcp"
    | "registries"
    | "hostResources"
    | "noDefaultBundles"
    | "sandbox"
  >;
  /** Directory of the configuration file. */
  readonly baseDir: string;
  /** The host's, and the workspace's own: other entries' secrets may stand in them. */
  readonly configFiles: readonly string[];
  readonly workDir: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly hostVersion: string;
  readonly sink: ProviderSink;
  /** What the host offers to bundles beyond MCP. */
  readonly extensions: HostExtensions;
  /** Values of `user_config` that people stored for a provider of this workspace; `source`, hashed, says for which of that name. */
  readonly storedValues: (provider: string, source: string) => Readonly<Record<string, unknown>>;
  /** For entries that people connect their accounts to. */
  readonly oauth: OAuthOptions;
  /** A skill package is served under this name. */
  readonly isPackage?: (name: string) => boolean;
  /** The answer to `roots/list` of a server that asks outside of any call; absent: there are none. */
  readonly hostRoots?: () => RawJson;
  /** Puts variables in place of `${env:NAME}`; asked at each start, so that nothing resolved is kept. */
  readonly resolveSecrets: (entry: BundleEntry, pointer: string) => ResolvedEntry;
  readonly log: (event: BundleEvent) => void;
  /** Hears of bugs. */
  readonly report: (error: unknown) => void;
  /** For tests only. */
  readonly timing?: Partial<Timing>;
}
