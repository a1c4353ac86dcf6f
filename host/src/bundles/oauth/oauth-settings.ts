/** How the host presents itself to the authorization server of one upstream. */
import type { OAuthClientMetadata } from "@modelcontextprotocol/client";

export interface OAuthSettings {
  /** The upstream: the protected resource. */
  readonly url: string;
  readonly grant: "authorization_code" | "client_credentials";
  /** From the configuration; absent: the client metadata document, else a registration. */
  readonly clientId?: string | undefined;
  readonly clientSecret?: string | undefined;
  /** Asked for at first; empty: what the upstream names. */
  readonly scopes: readonly string[];
  /** Where the authorization server sends the person back to. */
  readonly redirectUrl: string;
  /** Where the client metadata document stands; null: nowhere that others could read it. */
  readonly clientMetadataUrl: string | null;
}

/** Paths of the host's own pages for this, under its origin. */
export const OAUTH_START = "/v1/oauth/start/";
export const OAUTH_CALLBACK = "/v1/oauth/callback";
export const OAUTH_CLIENT = "/v1/oauth/client.json";

const CLIENT_NAME = "Bailiwick";

/** The client as registrations and the client metadata document describe it. */
export const describeClient = (redirectUrl: string): OAuthClientMetadata => ({
  client_name: CLIENT_NAME,
  redirect_uris: [redirectUrl],
  grant_types: ["authorization_code", "refresh_token"],
  response_types: ["code"],
});
