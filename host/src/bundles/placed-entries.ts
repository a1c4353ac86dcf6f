/** Which entries a configuration stands for, each with the place that messages name. Pure. */
import type { BundleEntry } from "@bailiwick/contract";
import { bashEntry } from "./bash/create-bash-bundle.ts";
import { BASH_NAME } from "./bash/locate-bash.ts";
import type { BundlesOptions } from "./bundles-options.ts";

export interface PlacedEntry {
  readonly entry: BundleEntry;
  /** Where it stands, for messages. */
  readonly pointer: string;
}

/** Those of the file, and before them the built-in one, unless the file has it or wants none. */
export const placedEntries = ({
  bundles,
  noDefaultBundles,
  sandbox,
}: BundlesOptions["config"]): readonly PlacedEntry[] => {
  const placed = bundles.map((entry, index) => ({ entry, pointer: `/bundles/${index}` }));
  const isThere = bundles.some((entry) => entry.kind === "name" && entry.name === BASH_NAME);
  return noDefaultBundles || isThere ? placed : [{ entry: bashEntry(sandbox), pointer: BUILT_IN }, ...placed];
};

const BUILT_IN = "the built-in bash bundle (noDefaultBundles: true leaves it out)";
