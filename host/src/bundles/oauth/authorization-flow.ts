/**
 * One way through an authorization server, from the first look at its metadata to the tokens, as the SDK's `auth` walks it.
 * What must not be mixed with another way lives here alone: state, verifier and the server that was asked. It does not
 * refresh: tokens that are there already are another file's matter.
 */
import { randomBytes } from "node:crypto";
import type {
  OAuthClientInformationContext,
  OAuthClientMetadata,
  OAuthClientProvider,
  OAuthDiscoveryState,
  StoredOAuthClientInformation,
  StoredOAuthTokens,
} from "@modelcontextprotocol/client";
import { HostError } from "../../kernel/host-error.ts";
import { issuerOf, type Grant } from "./grant.ts";
import type { GuardedFetch } from "./guarded-fetch.ts";
import { describeClient, type OAuthSettings } from "./oauth-settings.ts";

export interface FlowOptions {
  readonly grant: Grant;
  readonly settings: OAuthSettings;
  readonly fetch: GuardedFetch;
  /** As found just now. */
  readonly discovery: OAuthDiscoveryState;
}

/** In the order in which a method is chosen when the server lists those it takes. */
const AUTH_METHODS = ["client_secret_basic", "client_secret_post", "none"];

export class AuthorizationFlow implements OAuthClientProvider {
  readonly #options: FlowOptions;
  readonly #state = randomBytes(24).toString("base64url");
  #discovery: OAuthDiscoveryState;
  #verifier = "";
  #authorizationUrl: URL | null = null;
  #requested: string | null = null;
  /** Absent for a client of the configuration, which is never replaced by another. */
  readonly saveClientInformation?: OAuthClientProvider["saveClientInformation"];

  constructor(options: FlowOptions) {
    this.#options = options;
    this.#discovery = options.discovery;
    if (options.settings.clientId === undefined) {
      this.saveClientInformation = (information, context) =>
        options.grant.saveClient(information, contextIssuer(context), this.redirectUrl ?? null);
    }
  }

  /** With a client of its own the host gets tokens at once; otherwise it gets the address that a person must open. */
  async begin(scope: string | undefined): Promise<URL | null> {
    const { auth } = await import("@modelcontextprotocol/client");
    const { settings, fetch } = this.#options;
    await auth(this, {
      serverUrl: settings.url,
      fetchFn: fetch,
      forceReauthorization: true,
      ...(scope === undefined ? {} : { scope }),
    });
    return this.#authorizationUrl;
  }

  /** Takes what the authorization server sent back with the person, its `state` already compared. */
  async finish(answer: URLSearchParams): Promise<void> {
    const { auth, validateAuthorizationResponseIssuer } = await import("@modelcontextprotocol/client");
    const { settings, fetch } = this.#options;
    const iss = answer.get("iss") ?? undefined;
    const code = answer.get("code");
    if (code === null) {
      const metadata = this.#discovery.authorizationServerMetadata;
      const issParameterSupported = metadata?.authorization_response_iss_parameter_supported === true;
      // What an error says is believed only of the server that was asked.
      validateAuthorizationResponseIssuer({ iss, expectedIssuer: metadata?.issuer, issParameterSupported });
      throw new Error(`the authorization server answered ${wordOf(answer.get("error"))}`);
    }
    await auth(this, {
      serverUrl: settings.url,
      fetchFn: fetch,
      authorizationCode: code,
      ...(iss === undefined ? {} : { iss }),
    });
  }

  /** What was asked for; null: whatever the server gives. */
  get requestedScope(): string | null {
    return this.#requested;
  }

  get issuer(): string {
    return issuerOf(this.#discovery);
  }

  get redirectUrl(): string | undefined {
    const { grant, redirectUrl } = this.#options.settings;
    return grant === "client_credentials" ? undefined : redirectUrl;
  }

  get clientMetadataUrl(): string | undefined {
    return this.#options.settings.clientMetadataUrl ?? undefined;
  }

  get clientMetadata(): OAuthClientMetadata {
    if (this.redirectUrl === undefined) return { redirect_uris: [], grant_types: ["client_credentials"] };
    const supported = this.#discovery.authorizationServerMetadata?.token_endpoint_auth_methods_supported;
    const method = supported && AUTH_METHODS.find((each) => supported.includes(each));
    return { ...describeClient(this.redirectUrl), ...(method ? { token_endpoint_auth_method: method } : {}) };
  }

  state(): string {
    return this.#state;
  }

  clientInformation(context?: OAuthClientInformationContext): StoredOAuthClientInformation | undefined {
    const { grant, settings } = this.#options;
    const issuer = contextIssuer(context);
    const { clientId, clientSecret } = settings;
    if (clientId === undefined) return grant.client(issuer, this.redirectUrl ?? null) ?? undefined;
    const secret = clientSecret === undefined ? {} : { client_secret: clientSecret };
    return { client_id: clientId, ...secret, issuer: grant.bindClientId(clientId, issuer) };
  }

  tokens(): undefined {
    return undefined;
  }

  saveTokens(tokens: StoredOAuthTokens, context?: OAuthClientInformationContext): void {
    const issuer = contextIssuer(context);
    const client = this.clientInformation({ issuer });
    if (client === undefined) throw new HostError("tokens were given to no client");
    this.#options.grant.saveTokens({ tokens, issuer, client, requested: this.#requested });
  }

  redirectToAuthorization(url: URL): void {
    this.#requested = url.searchParams.get("scope");
    this.#authorizationUrl = url;
  }

  saveCodeVerifier(verifier: string): void {
    this.#verifier = verifier;
  }

  codeVerifier(): string {
    return this.#verifier;
  }

  saveDiscoveryState(state: OAuthDiscoveryState): void {
    this.#discovery = state;
  }

  discoveryState(): OAuthDiscoveryState {
    return this.#discovery;
  }

  invalidateCredentials(what: "all" | "client" | "tokens" | "verifier" | "discovery"): void {
    if (what === "client" || what === "all") this.#options.grant.dropClient();
    if (what === "tokens" || what === "all") this.#options.grant.dropTokens();
  }

  prepareTokenRequest(scope?: string): URLSearchParams | undefined {
    if (this.#options.settings.grant !== "client_credentials") return undefined;
    this.#requested = scope ?? null;
    return new URLSearchParams({ grant_type: "client_credentials", ...(scope === undefined ? {} : { scope }) });
  }
}

const contextIssuer = (context: OAuthClientInformationContext | undefined): string => {
  if (context === undefined) throw new HostError("the SDK asked for client information without an issuer");
  return context.issuer;
};

const wordOf = (error: string | null): string => (error !== null && /^[\w.-]{1,60}$/.test(error) ? error : "no code");
