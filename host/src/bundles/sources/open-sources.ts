/**
 * Where packages come from, loaded when one is looked for. A host whose bundles are directories, or servers elsewhere, starts
 * without any of it.
 */
import { locateDirectory } from "./locate-directory.ts";
import type { Sources } from "./create-sources.ts";
import type { SourcesOptions } from "./sources-options.ts";

export const openSources = (options: SourcesOptions): Sources => {
  let made: Promise<Sources> | null = null;
  const load = (): Promise<Sources> =>
    (made ??= import("./create-sources.ts").then(({ createSources }) => createSources(options)));
  return {
    locate: async (entry, order) => {
      const directory = entry.kind === "path" ? await locateDirectory(entry, options) : null;
      return directory ?? (await load()).locate(entry, order);
    },
    search: async (query, limit) => (await load()).search(query, limit),
    remoteFor: async (entry, signal) => (await load()).remoteFor(entry, signal),
  };
};
