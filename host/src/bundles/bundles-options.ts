/** What the bundles of a host are made from. */
import type { BundleEntry, Config } from "@bailiwick/contract";
import type { HostExtensions } from "../kernel/host-extension.ts";
import type { ProviderSink } from "../kernel/provider.ts";
import type { BundleEvent } from "./bundle-event.ts";
import type { OAuthOptions } from "./oauth/accounts.ts";
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
  /** Id of the workspace whose bundles these are. */
  readonly workspace: string;
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
  >;
  /** Directory of the configuration file. */
  readonly baseDir: string;
  readonly workDir: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly hostVersion: string;
  readonly sink: ProviderSink;
  /** What the host offers to bundles beyond MCP. */
  readonly extensions: HostExtensions;
  /** Values of `user_config` that people stored for a provider of this workspace. */
  readonly storedValues: (provider: string) => Readonly<Record<string, unknown>>;
  /** For entries that people connect their accounts to. */
  readonly oauth: OAuthOptions;
  /** Puts variables in place of `${env:NAME}`; asked at each start, so that nothing resolved is kept. */
  readonly resolveSecrets: (entry: BundleEntry, pointer: string) => ResolvedEntry;
  readonly log: (event: BundleEvent) => void;
  /** Hears of bugs. */
  readonly report: (error: unknown) => void;
  /** For tests only. */
  readonly timing?: Partial<Timing>;
}
