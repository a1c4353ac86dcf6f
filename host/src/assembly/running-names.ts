/** By which names skills know bundles that run: the provider's, and the one of the package. */
import type { KeptBundle } from "../bundles/make-bundle.ts";

export const runningNames = (bundles: readonly Pick<KeptBundle, "name" | "entry" | "bundle">[]): readonly string[] =>
  bundles.flatMap(({ name, entry, bundle }) => {
    if (bundle.health().state !== "running") return [];
    const packageName = bundle.facts()?.name ?? (entry.kind === "name" ? entry.name : null);
    return packageName === null ? [name] : [name, packageName];
  });
