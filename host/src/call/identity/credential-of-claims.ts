/**
 * Whom a verified token stands for. `sub` becomes a person, or a service where the token was issued to a client for itself.
 * Nothing in a token makes anybody the owner or the local user, and two subjects are never one principal.
 */
import type { Credential } from "./credential.ts";
import type { Claims } from "./verify-token.ts";

export interface ClaimNames {
  readonly rolesClaim?: string | undefined;
  readonly permissionsClaim?: string | undefined;
}

/** Names that mean somebody on this machine. */
const OURS: ReadonlySet<string> = new Set(["owner", "local"]);

export const credentialOfClaims = (claims: Claims, names: ClaimNames): Credential => {
  const { sub } = claims;
  const isClient = claims["client_id"] === sub || claims["azp"] === sub;
  const as = `${isClient ? "service" : "person"}:${nameOf(sub)}`;
  return {
    name: `oidc ${as}`,
    as,
    for: null,
    scopes: null,
    roles: wordsOf(claims, names.rolesClaim),
    permissions: wordsOf(claims, names.permissionsClaim).filter((permission) => permission !== "*"),
    workspace: "ws_default",
  };
};

const escape = (character: string): string => `%${character.charCodeAt(0).toString(16).toUpperCase()}`;

/** Letters, digits and `-._@` stand for themselves, all else is escaped; a name of ours too, so that it is another. */
const nameOf = (sub: string): string => {
  if (OURS.has(sub)) return escape(sub) + sub.slice(1);
  return encodeURIComponent(sub)
    .replaceAll("%40", "@")
    .replaceAll(/[!'()*~]/g, escape);
};

/** The words of a claim: an array of strings, or one string with blanks between them. */
const wordsOf = (claims: Claims, name: string | undefined): readonly string[] => {
  const value = name === undefined ? undefined : claimAt(claims, name);
  if (typeof value === "string") return value.split(" ").filter(Boolean);
  return Array.isArray(value) ? value.filter((word): word is string => typeof word === "string" && word !== "") : [];
};

/** A member of that very name, since names may be URLs; else a path with dots, `realm_access.roles`. */
const claimAt = (claims: Claims, name: string): unknown => {
  if (Object.hasOwn(claims, name)) return claims[name];
  let found: unknown = claims;
  for (const step of name.split(".")) {
    if (typeof found !== "object" || found === null || !Object.hasOwn(found, step)) return undefined;
    found = (found as Record<string, unknown>)[step];
  }
  return found;
};
