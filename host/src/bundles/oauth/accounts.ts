/** The accounts of one upstream: each principal's own, or the one that the whole workspace uses. */
import type { UrlEntry } from "@bailiwick/contract";
import { HostError } from "../../kernel/host-error.ts";
import { Refusal } from "../../kernel/refusal.ts";
import type { TokenStore } from "../../kernel/token-store.ts";
import { DEFAULT_WORKSPACE } from "../../kernel/workspace.ts";
import { checkUrl, type NetworkRules } from "../legs/network-guard.ts";
import type { Redaction } from "../redaction.ts";
import { Account } from "./account.ts";
import { Grant, tokenPrefix } from "./grant.ts";
import { createGuardedFetch } from "./guarded-fetch.ts";
import { OAUTH_CALLBACK, OAUTH_CLIENT, OAUTH_START, type OAuthSettings } from "./oauth-settings.ts";

export interface OAuthOptions {
  /** Whose accounts these are; nothing of another workspace is in `store`. */
  readonly workspace: string;
  readonly store: TokenStore;
  /** Where people reach this host: `https://host.example`, `http://127.0.0.1:7420`. */
  readonly origin: () => string;
}

export interface AccountsOptions {
  readonly name: string;
  readonly url: string;
  /** The entry with its secrets resolved; throws the Refusal that names what is unset. */
  readonly entry: () => UrlEntry;
  readonly rules: NetworkRules;
  readonly redaction: Redaction;
  readonly oauth: OAuthOptions;
  /** Each principal has its own. */
  readonly isolated: boolean;
}

const SWEEP_EVERY = 1_000;

export class Accounts {
  readonly #options: AccountsOptions;
  /** One object for each owner as long as anybody holds it, since it knows what is kept. */
  readonly #kept = new Map<string, WeakRef<Account>>();

  constructor(options: AccountsOptions) {
    this.#options = options;
  }

  get upstream(): string {
    return this.#options.url;
  }

  /** Whose account a principal's calls use. */
  ownerFor(principal: string): string {
    return this.#options.isolated ? principal : `workspace:${this.#options.oauth.workspace}`;
  }

  of(owner: string): Account {
    const known = this.#kept.get(owner)?.deref();
    if (known !== undefined) return known;
    const account = this.#make(owner);
    if (this.#kept.size % SWEEP_EVERY === 0) this.#sweep();
    this.#kept.set(owner, new WeakRef(account));
    return account;
  }

  /** Throws where no person may be sent to. */
  checkAuthorizationUrl(url: URL): void {
    checkUrl(url, this.#options.rules);
  }

  /** Everybody who has connected one. */
  owners(): readonly string[] {
    const prefix = tokenPrefix({ provider: this.#options.name, url: this.#options.url });
    const keys = this.#options.oauth.store.keys(prefix);
    return [...new Set(keys.map((key) => key[prefix.length] as string))];
  }

  /** `owner` null: nobody in particular. */
  needsAuth(owner: string | null, reason: string): Refusal {
    const { name, url, oauth, isolated } = this.#options;
    const named = isolated && owner !== null;
    const query = [
      named ? `for=${encodeURIComponent(owner)}` : "",
      oauth.workspace === DEFAULT_WORKSPACE ? "" : `workspace=${oauth.workspace}`,
    ].filter((each) => each !== "");
    const link = `${oauth.origin()}${OAUTH_START}${name}${query.length === 0 ? "" : `?${query.join("&")}`}`;
    const whose = named ? ` for ${owner}` : "";
    return new Refusal("needs_auth", {
      message: `needs_auth: ${name} wants an account at ${new URL(url).origin}${whose}: ${reason}.`,
      next: `Connect the account: open ${link} in a browser.`,
      details: { link },
    });
  }

  #sweep(): void {
    for (const [owner, kept] of this.#kept) if (kept.deref() === undefined) this.#kept.delete(owner);
  }

  #make(owner: string): Account {
    const { name, url, rules, redaction, oauth } = this.#options;
    return new Account({
      grant: new Grant(oauth.store, { provider: name, url, owner }),
      settings: () => this.#settings(),
      fetch: createGuardedFetch({ rules, clean: (text) => redaction.clean(text) }),
      learn: (secrets) => redaction.learnPassing(secrets),
      authorize: null,
      needsAuth: (reason) => this.needsAuth(owner, reason),
    });
  }

  #settings(): OAuthSettings {
    const { url, transport } = this.#options.entry();
    const { auth } = transport;
    if (auth.type !== "oauth") throw new HostError(`${this.#options.name} has no OAuth settings`);
    const origin = this.#options.oauth.origin();
    return {
      url,
      grant: auth.grant,
      clientId: auth.clientId,
      clientSecret: auth.clientSecret,
      scopes: auth.scopes,
      redirectUrl: `${origin}${OAUTH_CALLBACK}`,
      clientMetadataUrl: origin.startsWith("https:") ? `${origin}${OAUTH_CLIENT}` : null,
    };
  }
}
