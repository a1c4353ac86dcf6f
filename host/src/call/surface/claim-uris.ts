/** Gives the URIs that providers list, and that are nobody's yet, to those that list them. Each catalogue is read once. */
import type { Catalogue, Provider } from "../../kernel/provider.ts";
import type { UriOwners } from "../../kernel/uri-owners.ts";
import { isClaimable } from "./render-resource.ts";

export const createClaimUris = (owners: UriOwners): ((providers: readonly Provider[]) => void) => {
  const read = new WeakSet<Catalogue>();
  return (providers) => {
    if (providers.length === 0) return;
    owners.retain(providers.map((provider) => provider.name));
    const fresh = providers.filter((provider) => !read.has(provider.catalogue()));
    owners.claim(fresh.map((provider) => ({ provider: provider.name, uris: urisOf(provider.catalogue()) })));
    for (const provider of fresh) read.add(provider.catalogue());
  };
};

const urisOf = ({ resources, templates, skills }: Catalogue): string[] =>
  [...resources, ...(skills ?? [])]
    .map((item) => item.uri)
    .concat(templates.map((item) => item.uriTemplate))
    .filter(isClaimable);
