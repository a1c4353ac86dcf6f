/**
 * What one principal was granted at one upstream, and what the host knows of that upstream's authorization servers. Tokens
 * are kept per (principal, upstream, issuer), registrations per (upstream, issuer): what one server gave goes to no other.
 */
import type {
  OAuthDiscoveryState,
  StoredOAuthClientInformation,
  StoredOAuthTokens,
} from "@modelcontextprotocol/client";
import type { TokenKey, TokenStore } from "../../kernel/token-store.ts";

export interface GrantPlace {
  readonly provider: string;
  readonly url: string;
  /** Whose it is: a principal's name, or the workspace's. */
  readonly owner: string;
}

export interface KeptTokens {
  readonly tokens: StoredOAuthTokens;
  readonly issuer: string;
  /** The client that they were given to: no other may renew them. */
  readonly client: StoredOAuthClientInformation;
  /** The scope that was asked for, which may be more than was given. */
  readonly requested: string | null;
  /** When a new access token should be fetched, ms since the epoch; null: the server did not say how long it lasts. */
  readonly renewAt: number | null;
}

interface KeptClient {
  readonly information: StoredOAuthClientInformation;
  /** The address it was registered with: with another one it is of no use. */
  readonly redirect: string | null;
}

const MARGIN_S = 60;
const LEAST_S = 0.5;

export class Grant {
  readonly #store: TokenStore;
  readonly #place: GrantPlace;
  /** `undefined`: not looked up yet. */
  #tokens: KeptTokens | null | undefined;
  #discovery: OAuthDiscoveryState | null | undefined;

  constructor(store: TokenStore, place: GrantPlace) {
    this.#store = store;
    this.#place = place;
  }

  get discovery(): OAuthDiscoveryState | null {
    this.#discovery ??= parse(this.#store.read(this.#shared("discovery"))) as OAuthDiscoveryState | null;
    return this.#discovery;
  }

  saveDiscovery(state: OAuthDiscoveryState): void {
    if (issuerOf(state) !== this.#issuer()) this.#tokens = undefined;
    this.#discovery = state;
    this.#store.write(this.#shared("discovery"), JSON.stringify(state));
  }

  /** Those of the issuer that the upstream now names. */
  get tokens(): KeptTokens | null {
    if (this.#tokens === undefined) {
      const issuer = this.#issuer();
      this.#tokens = issuer === null ? null : (parse(this.#store.read(this.#tokenKey(issuer))) as KeptTokens | null);
    }
    return this.#tokens;
  }

  saveTokens(given: Omit<KeptTokens, "renewAt">): void {
    const { issuer } = given;
    const kept: KeptTokens = { ...given, renewAt: renewAtOf(given.tokens, Date.now()) };
    this.#store.write(this.#tokenKey(issuer), JSON.stringify(kept));
    this.#tokens = issuer === this.#issuer() ? kept : undefined;
  }

  dropTokens(): void {
    const issuer = this.#issuer();
    if (issuer !== null) this.#store.remove(this.#tokenKey(issuer));
    this.#tokens = null;
  }

  client(issuer: string, redirect: string | null): StoredOAuthClientInformation | null {
    const kept = parse(this.#store.read(this.#shared("client", issuer))) as KeptClient | null;
    if (kept === null || kept.redirect !== redirect) return null;
    const expiry = (kept.information as { client_secret_expires_at?: number }).client_secret_expires_at ?? 0;
    return expiry !== 0 && expiry * 1000 < Date.now() ? null : kept.information;
  }

  saveClient(information: StoredOAuthClientInformation, issuer: string, redirect: string | null): void {
    const kept: KeptClient = { information, redirect };
    this.#store.write(this.#shared("client", issuer), JSON.stringify(kept));
  }

  dropClient(): void {
    const issuer = this.#issuer();
    if (issuer !== null) this.#store.remove(this.#shared("client", issuer));
  }

  /** The issuer that a client id of the configuration belongs to: the first it was used with, for ever. */
  bindClientId(clientId: string, issuer: string): string {
    const key = this.#shared("bound", clientId);
    const bound = this.#store.read(key);
    if (bound !== null) return bound;
    this.#store.write(key, issuer);
    return issuer;
  }

  #issuer(): string | null {
    const { discovery } = this;
    return discovery === null ? null : issuerOf(discovery);
  }

  #shared(kind: string, ...more: readonly string[]): TokenKey {
    return [kind, this.#place.provider, this.#place.url, ...more];
  }

  #tokenKey(issuer: string): TokenKey {
    return [...tokenPrefix(this.#place), this.#place.owner, issuer];
  }
}

/** The keys of all tokens of an upstream begin so; the owner follows. */
export const tokenPrefix = ({ provider, url }: Omit<GrantPlace, "owner">): TokenKey => ["tokens", provider, url];

export const issuerOf = ({ authorizationServerMetadata, authorizationServerUrl }: OAuthDiscoveryState): string =>
  authorizationServerMetadata?.issuer ?? authorizationServerUrl;

/** A minute before the end, or at half time of a token that lasts less than two; never at once. */
const renewAtOf = ({ expires_in: lasts }: StoredOAuthTokens, now: number): number | null =>
  lasts === undefined ? null : now + Math.max(lasts - MARGIN_S, lasts / 2, LEAST_S) * 1000;

const parse = (text: string | null): unknown => (text === null ? null : JSON.parse(text));
