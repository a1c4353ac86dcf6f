/**
 * The `WWW-Authenticate` of a 401 or 403. Where tokens are taken it leads a client to their issuer; where they are not it
 * says no more than the scheme, so that no client starts a flow that cannot end.
 */
import { SCOPE, type TokenDoor } from "./token-door.ts";

export interface AuthFault {
  readonly error: "invalid_token" | "insufficient_scope";
  readonly description?: string;
  /** The permission that was missing. */
  readonly permission?: string;
}

/** What may not stand between quotes in a header. */
const UNQUOTABLE = /[^\x20\x21\x23-\x5b\x5d-\x7e]/g;

const quoted = (name: string, value: string): string => `${name}="${value.replaceAll(UNQUOTABLE, "?")}"`;

export const challenge = (tokens: TokenDoor | null, fault: AuthFault | null): Readonly<Record<string, string>> => {
  if (tokens === null) return { "WWW-Authenticate": "Bearer" };
  const more = fault?.permission !== undefined && tokens.scopesArePermissions ? ` ${fault.permission}` : "";
  const members = [
    ...(fault ? [quoted("error", fault.error)] : []),
    ...(fault?.description === undefined ? [] : [quoted("error_description", fault.description)]),
    quoted("resource_metadata", metadataUrl(tokens.resource())),
    quoted("scope", SCOPE + more),
  ];
  return { "WWW-Authenticate": `Bearer ${members.join(", ")}` };
};

const metadataUrl = (resource: string): string => {
  const { origin, pathname } = new URL(resource);
  return `${origin}/.well-known/oauth-protected-resource${pathname}`;
};
