/**
 * Whose resource a URI is: the part of the host whose scheme it has (`files:`), the provider it carries (`ui:`, `skill:`),
 * the one the caller names, the owner of the exact URI, the one matching template, the one provider that lists this scheme.
 * More than one candidate is a refusal that names them, never a guess.
 */
import { Refusal } from "../../kernel/refusal.ts";
import { fromEndpointUri } from "../../kernel/rewrite-uris.ts";
import type { Target } from "../../kernel/stages.ts";
import { resourcesName } from "./flat-name.ts";
import { NotYetListed } from "./not-yet-listed.ts";
import type { Page } from "./render-provider.ts";
import { hostProviderOf, isReservedUri, openProviderOf, type SheetResource } from "./render-resource.ts";
import type { Sheet } from "./sheet.ts";

export interface ResourceQuery {
  /** The URI as the endpoint shows it. */
  readonly name: string;
  /** Set on one provider's own endpoint. */
  readonly provider: string | null;
  readonly providerHint: string | null;
}

const listed = (page: Page, uri: string): SheetResource | null =>
  page.resources.get(uri) ?? page.templates.get(uri) ?? page.skills.get(uri) ?? null;

const RULES: readonly ((page: Page, uri: string) => boolean)[] = [
  (page, uri) => listed(page, uri)?.claim === "own" || (page.provider.more?.has(uri) ?? false),
  (page, uri) => page.reach.matches(uri),
  (page, uri) => page.reach.hasScheme(uri),
];

export const resolveResource = (query: ResourceQuery, sheet: Sheet): Target => {
  const { provider, uri } = addresseeOf(query);
  const host = hostProviderOf(uri);
  // What a tool of the host reads is for every key that may name the tool.
  const isOpen = (name: string): boolean =>
    name === openProviderOf(uri) || (name === host && sheet.inScope(`${name}__read`));
  const seen = sheet.pages.filter(({ provider: { name } }) => sheet.inScope(`${name}__*`) || isOpen(name));
  const take = (page: Page): Target => sheet.targetOf(page, { flat: resourcesName(page.provider.name), name: uri });
  if (provider === null) return take(search(uri, seen));
  const page = seen.find((candidate) => candidate.provider.name === provider);
  if (!page) throw notFound(query.name, []);
  if (isReservedUri(uri) && host !== provider) {
    // Who asks a provider that has none of the host's documents goes on without them.
    throw openProviderOf(uri) !== null && listed(page, uri) === null ? notFound(query.name, []) : reserved(uri);
  }
  return take(page);
};

/** The provider that is meant, as far as the request says, and the URI as that provider knows it. */
const addresseeOf = ({ name, provider, providerHint }: ResourceQuery): { provider: string | null; uri: string } => {
  if (provider !== null) return { provider, uri: name };
  const carried = fromEndpointUri(name);
  if (carried === null) return { provider: providerHint, uri: name };
  if (providerHint !== null && providerHint !== carried.provider) throw notFound(name, []);
  return carried;
};

const search = (uri: string, seen: readonly Page[]): Page => {
  const host = hostProviderOf(uri);
  const own = host === null ? undefined : seen.find((page) => page.provider.name === host);
  if (own) return own;
  const contested = seen.flatMap((page) => listed(page, uri) ?? []);
  if (contested.some(({ claim }) => claim === "uri_reserved")) throw reserved(uri);
  const taken = contested.find(({ claim }) => claim === "uri_taken");
  if (taken && contested.every(({ claim }) => claim !== "own")) return ownerPage(uri, taken, seen);
  for (const rule of RULES) {
    const candidates = seen.filter((page) => rule(page, uri));
    if (candidates.length === 1) return candidates[0]!;
    if (candidates.length > 1) throw notFound(uri, namesOf(candidates));
  }
  const [first, ...others] = seen.filter(isComing).map((page) => page.provider);
  throw first === undefined ? notFound(uri, []) : new NotYetListed([first, ...others], `The resource ${quoted(uri)}`);
};

/** On its way up for the first time. One that failed before may never come, and nobody waits for it to name a resource. */
const isComing = ({ provider, tools, prompts, resources, templates }: Page): boolean => {
  if (tools.size + prompts.size + resources.size + templates.size > 0) return false;
  const { state, lastError } = provider.status();
  return state === "starting" && lastError === null;
};

/** It stays its owner's, also while the owner does not list it. */
const ownerPage = (uri: string, taken: SheetResource, seen: readonly Page[]): Page => {
  const page = seen.find((candidate) => candidate.provider.name === taken.owner);
  if (page) return page;
  const candidates = namesOf(seen.filter((candidate) => listed(candidate, uri) !== null));
  throw new Refusal("uri_taken", {
    message: `The resource ${quoted(uri)} belongs to a provider that is not to be seen here.`,
    next: 'Name the provider that you mean in _meta["dev.bailiwick/provider"], or use its own endpoint /mcp/providers/<provider>.',
    details: { uri, candidates },
  });
};

const namesOf = (pages: readonly Page[]): string[] => pages.map((page) => page.provider.name);

const quoted = (uri: string): string => JSON.stringify(uri.slice(0, 256));

const reserved = (uri: string): Refusal =>
  new Refusal("uri_reserved", {
    message: `${quoted(uri)} is of a scheme that is the host's own, so no bundle may serve it.`,
    next:
      hostProviderOf(uri) === null
        ? "The author of the bundle has to use another scheme; see which resources there are in the list."
        : "Read it at /mcp without naming a provider; the author of a bundle has to use another scheme.",
    details: { uri },
  });

const notFound = (uri: string, candidates: readonly string[]): Refusal =>
  new Refusal("resource_not_found", {
    message:
      candidates.length === 0
        ? `No provider here has the resource ${quoted(uri)}.`
        : `Several providers have the resource ${quoted(uri)}: ${candidates.join(", ")}.`,
    next:
      candidates.length === 0
        ? "List the resources and use one of their URIs."
        : 'Name the provider in _meta["dev.bailiwick/provider"], or use its own endpoint /mcp/providers/<provider>.',
    details: { uri, candidates },
  });
