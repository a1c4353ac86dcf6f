/**
 * Tokens of an issuer, where the configuration names one: what the call path and the doors are handed. A host without
 * `auth.oidc` loads nothing of it.
 */
import type { Config } from "@bailiwick/contract";
import type { Tokens } from "../call/identity/create-tokens.ts";
import type { TokenDoor } from "../transport/token-door.ts";

export interface HostTokens extends Tokens, TokenDoor {
  /** Where clients on this machine reach the host: what tokens are for when there is no `http.publicOrigin`. */
  listensAt(origin: string): void;
}

/** Claims in which an authorization server writes the scopes it granted. */
const SCOPE_CLAIMS: ReadonlySet<string | undefined> = new Set(["scope", "scp"]);

export const openTokens = async (config: Config, report: (error: unknown) => void): Promise<HostTokens | null> => {
  const { oidc } = config.auth;
  if (oidc === undefined) return null;
  const { createTokens } = await import("../call/identity/create-tokens.ts");
  let origin = config.http.publicOrigin ?? `http://${config.http.host}:${config.http.port}`;
  const resource = (): string => `${origin}/mcp`;
  return {
    ...createTokens({ oidc, audience: () => oidc.audience ?? resource(), report }),
    issuer: oidc.issuer,
    resource,
    scopesArePermissions: SCOPE_CLAIMS.has(oidc.permissionsClaim),
    listensAt: (listening) => {
      origin = config.http.publicOrigin ?? listening;
    },
  };
};
