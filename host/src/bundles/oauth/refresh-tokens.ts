/**
 * Fresh tokens for those that are kept, from the server that gave them and from no other. Not by the SDK's `auth`, which
 * would go on to ask a person where the server is only out of reach.
 */
import { AuthorizationFlow } from "./authorization-flow.ts";
import type { Grant } from "./grant.ts";
import type { GuardedFetch } from "./guarded-fetch.ts";
import type { OAuthSettings } from "./oauth-settings.ts";

export interface RefreshOptions {
  readonly grant: Grant;
  readonly settings: OAuthSettings;
  readonly fetch: GuardedFetch;
}

/** False: there is nothing to refresh, or the server refuses for good. Rejects when it could not be asked. */
export const refreshTokens = async (options: RefreshOptions): Promise<boolean> => {
  const { grant, settings, fetch } = options;
  const { tokens: kept, discovery } = grant;
  if (kept?.tokens.refresh_token === undefined || discovery === null) return false;
  const { refreshAuthorization, selectResourceURL, OAuthError } = await import("@modelcontextprotocol/client");
  const flow = new AuthorizationFlow({ ...options, discovery });
  // The secret of a client of the configuration may have changed since; one that is bound to another server stays away.
  const client = settings.clientId === undefined ? kept.client : flow.clientInformation({ issuer: kept.issuer });
  if (client?.client_id !== kept.client.client_id || client.issuer !== kept.issuer) return false;
  const { resourceMetadata, authorizationServerMetadata: metadata } = discovery;
  const resource = await selectResourceURL(settings.url, flow, resourceMetadata);
  try {
    const fresh = await refreshAuthorization(discovery.authorizationServerUrl, {
      clientInformation: client,
      refreshToken: kept.tokens.refresh_token,
      fetchFn: fetch,
      ...(metadata === undefined ? {} : { metadata }),
      ...(resource === undefined ? {} : { resource: resourceMetadata?.resource ?? resource }),
    });
    const scope = fresh.scope ?? kept.tokens.scope;
    const tokens = { ...fresh, ...(scope === undefined ? {} : { scope }), issuer: kept.issuer };
    grant.saveTokens({ ...kept, client, tokens });
    return true;
  } catch (error) {
    if (error instanceof OAuthError && REFUSED.has(error.code)) return false;
    throw error;
  }
};

const REFUSED: ReadonlySet<string> = new Set([
  "invalid_grant",
  "invalid_client",
  "unauthorized_client",
  "invalid_request",
]);
