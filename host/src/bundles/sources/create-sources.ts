/** Where packages come from: paths, registries and npm, with what was fetched before. */
import type { NameEntry } from "@bailiwick/contract";
import { DEFAULT_WORKSPACE } from "../../kernel/workspace.ts";
import { join, resolve } from "node:path";
import type { Locate } from "../located.ts";
import { keepRemoteNeeds } from "../remote-needs.ts";
import { createDirRegistry } from "./dir-registry.ts";
import { findOffer } from "./find-offer.ts";
import { createInstallRecords } from "./install-records.ts";
import { locateName, type LocateNameOptions } from "./locate-name.ts";
import { locatePath } from "./locate-path.ts";
import { createMcpRegistry } from "./mcp-registry.ts";
import { createMpakRegistry } from "./mpak-registry.ts";
import { isNpmName } from "./npm-name.ts";
import { createPackageStore } from "./package-store.ts";
import type { Registry } from "./registry.ts";
import { remoteEntry } from "./remote-entry.ts";
import { searchRegistries, type SearchResult } from "./search-registries.ts";
import { SOURCE_LIMITS, type SourceLimits, type SourcesOptions } from "./sources-options.ts";

export interface Sources {
  readonly locate: Locate;
  /** Never rejects because of a registry. */
  readonly search: (query: string, limit: number) => Promise<SearchResult>;
  /**
   * For a name that a registry knows as a remote server only: the raw `url` entry that an install writes in its place; null
   * for all that can be located. What it requires is kept for its starts. Rejects as `locate` does.
   */
  readonly remoteFor: (entry: NameEntry, signal: AbortSignal) => Promise<Record<string, unknown> | null>;
}

export const createSources = (options: SourcesOptions): Sources => {
  const { workDir, env, nodePath, rules, report } = options;
  const workspace = options.workspace ?? DEFAULT_WORKSPACE;
  const limits = { ...SOURCE_LIMITS, ...options.limits };
  const registries = options.registries.map((each) => createRegistry(each, options, limits));
  const named: LocateNameOptions = {
    store: createPackageStore(workDir, report),
    records: createInstallRecords(workDir, workspace),
    registries,
    rules,
    limits,
    env,
    nodePath,
  };
  return {
    locate: (entry, order) =>
      entry.kind === "name"
        ? locateName(entry, order, named)
        : locatePath(entry, order, { ...named, baseDir: options.baseDir }),
    search: (query, limit) => searchRegistries(registries, query, limit),
    remoteFor: async (entry, signal) => {
      if (isNpmName(entry.name)) return null;
      const { offer } = await findOffer(entry, registries, signal);
      if (offer.kind !== "remote") return null;
      const remote = remoteEntry(entry, offer, { profile: options.profile ?? "strict", offering: options });
      await keepRemoteNeeds({ home: join(workDir, "workspaces", workspace), url: offer.url }, remote.required);
      return remote.entry;
    },
  };
};

const createRegistry = (
  registry: SourcesOptions["registries"][number],
  { baseDir, env, rules, platform = process.platform, arch = process.arch }: SourcesOptions,
  limits: SourceLimits,
): Registry => {
  if (registry.type === "dir") return createDirRegistry(placeOf(registry.path, baseDir, env));
  const { url } = registry;
  return registry.type === "mcp"
    ? createMcpRegistry({ url, rules, limits })
    : createMpakRegistry({ url, rules, limits, platform, arch });
};

const placeOf = (path: string, baseDir: string, env: SourcesOptions["env"]): string =>
  path.startsWith("~/") && env["HOME"] !== undefined ? join(env["HOME"], path.slice(2)) : resolve(baseDir, path);
