/** What the bundles of a host are made from. */
import type { BundleEntry, Config } from "@bailiwick/contract";
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
  readonly config: Pick<
    Config,
    "bundles" | "restart" | "manifestProfile" | "allowInsecureRemotes" | "allowPrivateRemotes" | "mcp"
  >;
  /** Directory of the configuration file. */
  readonly baseDir: string;
  readonly workDir: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly hostVersion: string;
  readonly sink: ProviderSink;
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
