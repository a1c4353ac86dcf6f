/** An entry whose server wants an account: the workspace's own, or one of each principal. */
import type { UrlEntry } from "@bailiwick/contract";
import type { Bundle } from "./bundle.ts";
import { createBundle, partsOf, type CreateBundleOptions } from "./create-bundle.ts";
import { IsolatedBundle } from "./isolated-bundle.ts";
import { Accounts } from "./oauth/accounts.ts";
import type { Connectable } from "./oauth/create-connector.ts";
import { resolveEntry } from "./resolve-entry.ts";
import { REMOTE_TIMING } from "./timing.ts";

export interface OAuthBundleOptions extends CreateBundleOptions {
  readonly entry: UrlEntry;
}

/** A host that signs in by itself has nothing to keep apart. */
const isIsolated = ({ isolation, transport: { auth } }: UrlEntry): boolean =>
  isolation === "principal" && auth.type === "oauth" && auth.grant === "authorization_code";

export const createOAuthBundle = (options: OAuthBundleOptions): Connectable & { readonly bundle: Bundle } => {
  const { name, entry, pointer, bundles } = options;
  const isolated = isIsolated(entry);
  const parts = partsOf(options, isolated);
  const { redaction, definitions } = parts;
  const accounts = new Accounts({
    name,
    url: entry.url,
    entry: () => resolveEntry(entry, { pointer, bundles, redaction }),
    rules: bundles.config,
    redaction,
    oauth: bundles.oauth,
    isolated,
  });
  if (!isolated) {
    const bundle = createBundle(options, { ...parts, account: accounts.of(accounts.ownerFor("")) });
    return { bundle, accounts, welcome: () => wake(bundle) };
  }
  const bundle: IsolatedBundle = new IsolatedBundle({
    name,
    accounts,
    definitions,
    idleReason: entry.enabled ? "the host has not started it yet" : `its entry says "enabled": false`,
    trustScore: entry.trustScore,
    idleMs: bundles.timing?.idleMs ?? REMOTE_TIMING.idleMs,
    make: (owner, onChange) => createBundle(options, { ...parts, account: accounts.of(owner), onChange }),
    onChange: parts.onChange,
  });
  return { bundle, accounts, welcome: (owner) => bundle.welcome(owner) };
};

/** Not what somebody stopped. */
const wake = (bundle: Bundle): void => {
  const { state } = bundle.status();
  if (state === "refused" || state === "dead") bundle.start();
};
