/**
 * One principal's account at one upstream: the credential of its requests, kept fresh, and the ways to get one. Where no
 * person is at hand and the server wants one, it says `needs_auth` with the link.
 */
import type { OAuthDiscoveryState, OAuthServerInfo } from "@modelcontextprotocol/client";
import type { Refusal } from "../../kernel/refusal.ts";
import type { Challenge, Credential } from "../legs/credential.ts";
import { AuthorizationFlow } from "./authorization-flow.ts";
import { flowFailure } from "./flow-failure.ts";
import type { Grant } from "./grant.ts";
import type { GuardedFetch } from "./guarded-fetch.ts";
import type { OAuthSettings } from "./oauth-settings.ts";
import { readChallenge, type Demand } from "./read-challenge.ts";
import { refreshTokens } from "./refresh-tokens.ts";

export interface AccountOptions {
  readonly grant: Grant;
  /** Read anew for each use, since secrets and the host's own address may change; throws the Refusal that says why not. */
  readonly settings: () => OAuthSettings;
  readonly fetch: GuardedFetch;
  /** Told each token before it is used, so that no text shows it. */
  readonly learn: (secrets: readonly string[]) => void;
  /** Takes an address to where somebody agrees, and resolves with where that led; null: no person is at hand. */
  readonly authorize: ((url: URL) => Promise<URL>) | null;
  /** The "no" where only a person can help. */
  readonly needsAuth: (reason: string) => Refusal;
}

interface Work {
  readonly status: number;
  readonly used: string | null;
  readonly done: Promise<boolean>;
}

const REFRESH_PAUSE_MS = 30_000;

export class Account implements Credential {
  readonly #options: AccountOptions;
  #work: Work | null = null;
  #known: string | null = null;
  #refreshFrom = 0;
  /** All scopes that the server wants, once it has asked for more than was granted. */
  #wider: string | undefined;

  constructor(options: AccountOptions) {
    this.#options = options;
  }

  isConnected(): boolean {
    return this.#options.grant.tokens !== null;
  }

  authorization(): string | null | Promise<string | null> {
    const used = this.#header();
    const renewAt = this.#options.grant.tokens?.renewAt ?? null;
    const now = Date.now();
    if (used === null || renewAt === null || now < renewAt || now < this.#refreshFrom) return used;
    const work = this.#work ?? this.#do({ status: 0, used }, () => this.#refreshInTime());
    return work.done.then(
      () => this.#header(),
      () => this.#header(),
    );
  }

  async renew(challenge: Challenge): Promise<boolean> {
    const { status, used } = challenge;
    for (;;) {
      const now = this.#header();
      if (now !== null && now !== used) return true;
      const current = this.#work;
      if (current === null) break;
      // Requests that are refused together wait for one new credential.
      if (current.status === status && current.used === used) return current.done;
      await current.done.catch(() => false);
    }
    return this.#do(challenge, () => (status === 401 ? this.#replace(challenge) : this.#widen(challenge))).done;
  }

  /** A way for a person to go; `finish` of it makes this account connected. */
  async begin(): Promise<{ readonly flow: AuthorizationFlow; readonly url: URL }> {
    const demand = await this.#probe();
    const discovery = await this.#discover(demand);
    const flow = this.#flow(discovery);
    const url = await flow.begin(await this.#scopeFor(this.#wider ?? demand.scope));
    if (url === null) throw new Error("the authorization server has nothing for a person to agree to");
    return { flow, url };
  }

  async finish(flow: AuthorizationFlow, answer: URLSearchParams): Promise<void> {
    await flow.finish(answer);
    this.#wider = undefined;
  }

  #do({ status, used }: Pick<Work, "status" | "used">, task: () => Promise<boolean>): Work {
    const work: Work = {
      status,
      used,
      done: task().finally(() => {
        if (this.#work === work) this.#work = null;
      }),
    };
    this.#work = work;
    return work;
  }

  #header(): string | null {
    const kept = this.#options.grant.tokens;
    if (kept === null) return null;
    const { tokens, client } = kept;
    if (tokens.access_token !== this.#known) {
      this.#known = tokens.access_token;
      const others = [tokens.refresh_token, tokens.id_token, client.client_secret];
      this.#options.learn([tokens.access_token, ...others.filter((secret) => secret !== undefined)]);
    }
    return `Bearer ${tokens.access_token}`;
  }

  /** False: the server gave nothing to refresh it with, so that it is used until it is refused. */
  #isRenewable(): boolean {
    return this.#options.grant.tokens?.tokens.refresh_token !== undefined || this.#isOwnClient();
  }

  /** Before its time is over: while no new token can be had, the old one is still the best. */
  async #refreshInTime(): Promise<boolean> {
    try {
      if (this.#isRenewable()) {
        if (await this.#refresh()) return true;
        this.#options.grant.dropTokens();
        return false;
      }
    } catch {
      // Tried again after the pause.
    }
    this.#refreshFrom = Date.now() + REFRESH_PAUSE_MS;
    return false;
  }

  async #refresh(): Promise<boolean> {
    const { grant, settings, fetch } = this.#options;
    return this.#isOwnClient() ? this.#obtain({}) : refreshTokens({ grant, settings: settings(), fetch });
  }

  /** 401. The upstream may have moved to another authorization server, so it is asked anew. */
  async #replace({ header, used, refusals }: Challenge): Promise<boolean> {
    const { grant, authorize, needsAuth } = this.#options;
    const demand = await readChallenge(header);
    const byPerson = authorize === null && !this.#isOwnClient();
    if (refusals > 0 && !byPerson) return false;
    if (refusals > 0 || (byPerson && used === null)) {
      grant.dropTokens();
      throw needsAuth(used === null ? "no account is connected" : "the server does not take the token it was given");
    }
    try {
      await this.#discover(demand);
      if (used !== null && !this.#isOwnClient() && (await this.#refresh())) return true;
      grant.dropTokens();
      return await this.#obtain(demand);
    } catch (error) {
      throw flowFailure(error, this.#isOwnClient());
    }
  }

  /** 403. Only asking for more than was asked for before can help. */
  async #widen({ header }: Challenge): Promise<boolean> {
    const kept = this.#options.grant.tokens;
    const demand = await readChallenge(header);
    if (demand.error !== "insufficient_scope" || kept === null) return false;
    const { computeScopeUnion, isStrictScopeSuperset } = await import("@modelcontextprotocol/client");
    const asked = computeScopeUnion(kept.requested ?? undefined, kept.tokens.scope);
    const wider = computeScopeUnion(asked, demand.scope);
    if (!isStrictScopeSuperset(wider, asked)) return false;
    this.#wider = wider;
    try {
      return await this.#obtain({ ...demand, scope: wider });
    } catch (error) {
      throw flowFailure(error, this.#isOwnClient());
    }
  }

  async #obtain(demand: Demand): Promise<boolean> {
    const { grant, authorize, needsAuth } = this.#options;
    if (authorize === null && !this.#isOwnClient()) {
      throw needsAuth(this.#wider === undefined ? "it is not connected any more" : `it wants the scope ${this.#wider}`);
    }
    const flow = this.#flow(grant.discovery ?? (await this.#discover(demand)));
    const url = await flow.begin(await this.#scopeFor(demand.scope));
    if (url !== null && authorize !== null) {
      const answer = (await authorize(url)).searchParams;
      if (answer.get("state") !== flow.state()) throw new Error("the authorization server sent another state back");
      await flow.finish(answer);
    }
    this.#wider = undefined;
    return true;
  }

  #flow(discovery: OAuthDiscoveryState): AuthorizationFlow {
    const { grant, settings, fetch } = this.#options;
    return new AuthorizationFlow({ grant, settings: settings(), fetch, discovery });
  }

  #isOwnClient(): boolean {
    return this.#options.settings().grant === "client_credentials";
  }

  /** The configuration's scopes; the server's words where it has none, or where the server wants more. */
  async #scopeFor(named: string | undefined): Promise<string | undefined> {
    const { scopes } = this.#options.settings();
    if (scopes.length === 0) return named;
    const { computeScopeUnion } = await import("@modelcontextprotocol/client");
    return computeScopeUnion(scopes.join(" "), this.#wider);
  }

  async #discover({ resourceMetadataUrl }: Demand): Promise<OAuthDiscoveryState> {
    const { discoverOAuthServerInfo } = await import("@modelcontextprotocol/client");
    const { grant, settings, fetch } = this.#options;
    const named = resourceMetadataUrl === undefined ? {} : { resourceMetadataUrl };
    const found = await discoverOAuthServerInfo(settings().url, { fetchFn: fetch, ...named });
    refuseLess(found, grant.discovery);
    const state = { ...found, ...(resourceMetadataUrl && { resourceMetadataUrl: resourceMetadataUrl.href }) };
    grant.saveDiscovery(state);
    return state;
  }

  /** What the server wants of somebody who brings nothing. One that says nothing is asked for its metadata all the same. */
  async #probe(): Promise<Demand> {
    const { settings, fetch } = this.#options;
    const body = '{"jsonrpc":"2.0","id":0,"method":"ping"}';
    const headers = { "content-type": "application/json", accept: "application/json, text/event-stream" };
    const answer = await fetch(settings().url, { method: "POST", headers, body }).catch(() => null);
    return readChallenge(answer?.headers.get("www-authenticate") ?? null);
  }
}

/**
 * A server that once described itself and now does not is out of order, or somebody is in between. Going on with a guess
 * would lose the account, and send the person elsewhere.
 */
const refuseLess = (found: OAuthServerInfo, known: OAuthServerInfo | null): void => {
  if (known?.resourceMetadata && !found.resourceMetadata) {
    throw new Error("the server does not name its authorization server any more");
  }
  const same = known?.authorizationServerUrl === found.authorizationServerUrl;
  if (same && known.authorizationServerMetadata && !found.authorizationServerMetadata) {
    throw new Error("its authorization server does not describe itself any more");
  }
};
