/** An entry whose server wants an account: the workspace's own, or one of each principal. */
import type { UrlEntry } from "@bailiwick/contract";
import type { Bundle } from "./bundle.ts";
import type { BundleProvider } from "./bundle-provider.ts";
import { checkEntry } from "./check-entry.ts";
import { createBundle, partsOf, type BundleParts, type CreateBundleOptions } from "./create-bundle.ts";
import { isolateBundle } from "./isolate-bundle.ts";
import { Accounts } from "./oauth/accounts.ts";
import type { Connectable } from "./oauth/create-connector.ts";
import type { PackageFacts } from "./package-facts.ts";
import { resolveEntry } from "./resolve-entry.ts";

export interface OAuthBundleOptions extends CreateBundleOptions {
  readonly entry: UrlEntry;
}

/** Each has an account of its own; a host that signs in by itself has one for all. */
const isPersonal = ({ isolation, transport: { auth } }: UrlEntry): boolean =>
  isolation === "principal" && auth.type === "oauth" && auth.grant === "authorization_code";

export const createOAuthBundle = (options: OAuthBundleOptions): Connectable & { readonly bundle: Bundle } => {
  const { name, entry, pointer, bundles } = options;
  const personal = isPersonal(entry);
  const parts = partsOf(options, entry.isolation === "principal");
  const { redaction } = parts;
  const accounts = new Accounts({
    name,
    url: entry.url,
    entry: () => resolveEntry(entry, { pointer, bundles, redaction }),
    rules: bundles.config,
    redaction,
    oauth: bundles.oauth,
    isolated: personal,
  });
  const make = (owner: string, told: Pick<BundleParts, "onChange" | "log">): BundleProvider =>
    createBundle(options, { ...parts, ...told, account: accounts.of(accounts.ownerFor(owner)) });
  if (personal) {
    const bundle = isolateBundle(options, parts, { accounts, shipped: null, shared: false, check: null, make });
    return { bundle, accounts, welcome: (owner) => bundle.welcome(owner) };
  }
  const check = (signal: AbortSignal): Promise<PackageFacts | null> => checkEntry(options, redaction, signal);
  const bundle =
    entry.isolation === "principal"
      ? isolateBundle(options, parts, { accounts: null, shipped: null, shared: false, check, make })
      : createBundle(options, { ...parts, account: accounts.of(accounts.ownerFor("")) });
  return { bundle, accounts, welcome: () => wake(bundle) };
};

/** Not what somebody stopped. */
const wake = (bundle: Bundle): void => {
  const { state } = bundle.status();
  if (state === "refused" || state === "dead") bundle.start();
};
