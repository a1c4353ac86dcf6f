/** Bundles with an entry that wants an account, and a person who connects one. */
import type { Bundles } from "../create-bundles.ts";
import { makeWorkDir, runBundles, type TestBundles } from "../bundles-for-tests.ts";
import type { BundlesOptions } from "../bundles-options.ts";
import { agree } from "./authorization-server-for-tests.ts";

export const entryFor = (
  url: string,
  more: Readonly<Record<string, unknown>> = {},
  auth: Readonly<Record<string, unknown>> = {},
): Record<string, unknown> => ({
  url,
  serverName: "guarded",
  transport: {
    auth: { type: "oauth", ...auth },
    reconnection: { initialReconnectionDelay: 10, maxReconnectionDelay: 50 },
  },
  ...more,
});

export const runOAuth = (
  bundles: readonly Record<string, unknown>[],
  more: Partial<BundlesOptions> = {},
): Promise<TestBundles> => runBundles(more.workDir ?? makeWorkDir(), { allowInsecureRemotes: true, bundles }, more);

/** What a person does: opens the link, agrees, comes back in the same browser. */
export const connect = async ({ accounts }: Bundles, provider: string, principal: string): Promise<void> => {
  const consent = await accounts.begin(provider, accounts.ownerFor(provider, principal));
  await accounts.finish((await agree(consent.url)).searchParams, consent.browser);
};
