/** The bundles that a start brings up, by the names that people know them by: those of the file and what comes with the host. */
import type { BundleEntry, Config } from "@bailiwick/contract";
import { placedEntries } from "../bundles/placed-entries.ts";

const BUILT_IN = "bash";

export interface ExpectedBundles {
  readonly builtIn: readonly string[];
  readonly configured: readonly string[];
}

export const expectedBundles = (config: Config): ExpectedBundles => {
  const enabled = placedEntries(config)
    .map(({ entry }) => entry)
    .filter((entry) => entry.enabled);
  const isOwn = (entry: BundleEntry): boolean => !config.bundles.includes(entry);
  return {
    builtIn: enabled.filter(isOwn).map(() => BUILT_IN),
    configured: enabled.filter((entry) => !isOwn(entry)).map(nameEntry),
  };
};

const nameEntry = (entry: BundleEntry): string => {
  if (entry.kind === "url") return entry.serverName;
  return entry.serverName ?? (entry.kind === "path" ? entry.path : entry.name);
};
