/**
 * The issuer's published keys: from `jwksUri`, or from where the issuer's own metadata says (OpenID Connect Discovery, else
 * RFC 8414). The metadata must name exactly the issuer that was asked.
 */
import { createLocalJWKSet, type JSONWebKeySet } from "jose";
import { fetchJson, type Fetched } from "./fetch-json.ts";
import { KeysUnavailable } from "./keys-unavailable.ts";

export interface Issuer {
  readonly issuer: string;
  readonly jwksUri?: string | undefined;
}

export interface PublishedKeys {
  readonly find: ReturnType<typeof createLocalJWKSet>;
  /** How many there are. */
  readonly count: number;
  /** The document itself: another text, other keys. */
  readonly text: string;
}

export const fetchKeySet = async ({ issuer, jwksUri }: Issuer): Promise<PublishedKeys> => {
  const address = jwksUri ?? (await discover(issuer));
  const { status, value, text } = await fetchJson(address);
  if (status !== 200) throw new KeysUnavailable(`${address} answered ${status}`);
  try {
    return { find: createLocalJWKSet(value as JSONWebKeySet), count: (value as JSONWebKeySet).keys.length, text };
  } catch {
    throw new KeysUnavailable(`${address} is not a JSON Web Key Set`);
  }
};

const discover = async (issuer: string): Promise<string> => {
  const { origin, pathname } = new URL(issuer);
  const path = pathname.replace(/\/$/, "");
  const first = `${origin}${path}/.well-known/openid-configuration`;
  let found: Fetched = await fetchJson(first);
  if (found.status === 404) found = await fetchJson(`${origin}/.well-known/oauth-authorization-server${path}`);
  if (found.status !== 200) throw new KeysUnavailable(`${first} answered ${found.status}`);
  const { issuer: named, jwks_uri: keys } = (found.value ?? {}) as Record<string, unknown>;
  if (named !== issuer) throw new KeysUnavailable(`${first} speaks for another issuer than ${issuer}`);
  if (typeof keys !== "string" || !URL.canParse(keys)) throw new KeysUnavailable(`${first} names no jwks_uri`);
  return keys;
};
