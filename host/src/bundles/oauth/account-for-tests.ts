/** An account whose person is the test itself, and a connection made with it. */
import { onTestFinished } from "vitest";
import { Refusal } from "../../kernel/refusal.ts";
import type { TokenStore } from "../../kernel/token-store.ts";
import type { Connection } from "../connection.ts";
import { connectHttp } from "../legs/connect-http.ts";
import { LIMITS, NO_EVENTS } from "../legs/process-for-tests.ts";
import { Account } from "./account.ts";
import { agree } from "./authorization-server-for-tests.ts";
import { Grant } from "./grant.ts";
import { createGuardedFetch } from "./guarded-fetch.ts";
import type { OAuthSettings } from "./oauth-settings.ts";
import { keepInMemory } from "./token-store-for-tests.ts";

const RULES = { allowInsecureRemotes: true, allowPrivateRemotes: [] };

export interface TestAccountOptions {
  readonly url: string;
  readonly settings?: Partial<OAuthSettings>;
  readonly store?: TokenStore;
  readonly owner?: string;
  readonly provider?: string;
  /** Null: no person is at hand. */
  readonly authorize?: ((url: URL) => Promise<URL>) | null;
  readonly learnt?: string[];
}

export const makeAccount = (options: TestAccountOptions): { readonly account: Account; readonly grant: Grant } => {
  const { url, store = keepInMemory(), owner = "person:ann", provider = "guarded", authorize = agree } = options;
  const grant = new Grant(store, { provider, url, owner });
  const account = new Account({
    grant,
    settings: () => ({
      url,
      grant: "authorization_code",
      scopes: [],
      redirectUrl: "http://127.0.0.1:7420/v1/oauth/callback",
      clientMetadataUrl: null,
      ...options.settings,
    }),
    fetch: createGuardedFetch({ rules: RULES, clean: (text) => text }),
    learn: (secrets) => options.learnt?.push(...secrets),
    authorize,
    needsAuth: (reason) => new Refusal("needs_auth", { message: reason, next: "sign in", details: { link: "x" } }),
  });
  return { account, grant };
};

export const connectWith = async (url: string, account: Account): Promise<Connection> => {
  const connection = await connectHttp({
    url,
    headers: {},
    credential: account,
    rules: RULES,
    limits: LIMITS,
    events: NO_EVENTS,
    signal: new AbortController().signal,
    hostVersion: "0.0.0",
  });
  onTestFinished(() => connection.close("the test is over"));
  return connection;
};
