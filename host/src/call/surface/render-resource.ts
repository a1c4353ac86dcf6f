/**
 * One resource, template or skill as it is listed, and whether its URI is this provider's to serve. Schemes of the host are
 * its own providers' and refused to every bundle; a URI that another provider was accepted with first is served on this provider's own endpoint,
 * or to a caller that names the provider.
 */
import type { Listed, Provider } from "../../kernel/provider.ts";
import type { RawJson } from "../../kernel/raw-json.ts";
import { entryToEndpoint, fromEndpointUri } from "../../kernel/rewrite-uris.ts";
import type { UriOwners } from "../../kernel/uri-owners.ts";
import { once } from "./once.ts";
import { joinMeta, lifecycleMember, spliceEntry } from "./splice-entry.ts";

export interface SheetResource {
  /** As its provider calls it. */
  readonly uri: string;
  readonly claim: "own" | "uri_taken" | "uri_reserved";
  /** Whose it is, when it is taken. */
  readonly owner: string | null;
  readonly json: () => RawJson;
  readonly ownJson: () => RawJson;
}

export interface ResourceOrder {
  readonly kind: "resource" | "template" | "skill";
  readonly uri: string;
  readonly entry: Listed;
}

const RESERVED = /^(?:files|workspace|capabilities):/i;
const SCHEME = /^([a-z]+):/i;
/** Which part of the host serves what has the scheme. */
const SERVED: ReadonlyMap<string, string> = new Map([
  ["files", "files"],
  ["capabilities", "compose"],
]);

export const isReservedUri = (uri: string): boolean => RESERVED.test(uri);

/** The part of the host that serves a reserved URI; null: none. No bundle can have its name. */
export const hostProviderOf = (uri: string): string | null =>
  SERVED.get(SCHEME.exec(uri)?.[1]?.toLowerCase() ?? "") ?? null;

/** What these tell is the reader's own surface and how to use it, so every key may read them. */
export const openProviderOf = (uri: string): string | null =>
  /^(?:capabilities|generator|schema):/i.test(uri) ? "compose" : null;

/** Is it one that two providers could both list? Those that carry their provider's name cannot meet. */
export const isClaimable = (uri: string): boolean => !isReservedUri(uri) && fromEndpointUri(uri) === null;

const claimOf = (uri: string, provider: string, owners: UriOwners): Pick<SheetResource, "claim" | "owner"> => {
  if (isReservedUri(uri)) return { claim: hostProviderOf(uri) === provider ? "own" : "uri_reserved", owner: null };
  const owner = isClaimable(uri) ? owners.ownerOf(uri) : null;
  return owner === null || owner === provider ? { claim: "own", owner: null } : { claim: "uri_taken", owner };
};

const NEXT = {
  own: () => null,
  uri_taken: (provider: string) =>
    `Another provider was accepted with this URI first. Name this one in _meta["dev.bailiwick/provider"], or use /mcp/providers/${provider}.`,
  uri_reserved: () => "The scheme is the host's own; the author of the bundle has to use another one.",
};

export const renderResource = (provider: Provider, order: ResourceOrder, owners: UriOwners): SheetResource => {
  const { kind, uri, entry } = order;
  const { name } = provider;
  const { claim, owner } = claimOf(uri, name, owners);
  const lifecycle = {
    state: claim === "own" ? "invokable" : "unavailable",
    reason: claim,
    next: NEXT[claim](name),
  } as const;
  const state = lifecycleMember(lifecycle, provider.status().since, false);
  const listed = joinMeta(`"dev.bailiwick/provider":${JSON.stringify(name)}`, state);
  return {
    uri,
    claim,
    owner,
    json: once(() => spliceEntry(entryToEndpoint(entry.json, name, kind), { name: null, meta: listed })),
    ownJson: once(() => spliceEntry(entry.json, { name: null, meta: claim === "uri_reserved" ? state : "" })),
  };
};
