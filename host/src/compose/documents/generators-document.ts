/** `capabilities://generators`: the generators that there are now, and how one is chosen. Pure. */
import type { GeneratorEntry } from "../generators/generator-entry.ts";
import { SELECTION_STRATEGY } from "../generators/selection-strategy.ts";

export interface Availability {
  readonly status: "available" | "unavailable";
  readonly reason?: string;
  /** Credentials or packages that it lacks. */
  readonly missing?: readonly string[];
}

export interface ListedGenerator {
  readonly entry: GeneratorEntry;
  readonly availability: Availability;
}

/** A plug-in file that is not served. */
export interface RejectedPlugin {
  /** From the plug-in folder. */
  readonly plugin_path: string;
  readonly reason_code: "type_taken" | "load_failed" | "invalid_export";
  readonly message: string;
}

export interface GeneratorsFacts {
  /** Built-in ones first; no two of one type. */
  readonly generators: readonly ListedGenerator[];
  readonly rejected: readonly RejectedPlugin[];
  readonly version: string;
}

export const generatorsDocument = ({ generators, rejected, version }: GeneratorsFacts): object => {
  const builtin = generators.filter(({ entry }) => entry.source === "builtin").length;
  return {
    generators: Object.fromEntries(generators.map((listed) => [listed.entry.type, generatorShown(listed)])),
    selection_strategy: SELECTION_STRATEGY,
    metadata: {
      version,
      generator_count: generators.length,
      builtin_count: builtin,
      plugin_count: generators.length - builtin,
      rejected: rejected.map(({ plugin_path, reason_code, message }) => ({ plugin_path, reason_code, message })),
    },
  };
};

/** One generator, the same here and as `generator://<type>`. Its description is for lists. */
export const generatorShown = ({ entry, availability }: ListedGenerator): object => ({
  type: entry.type,
  name: entry.name,
  version: entry.version,
  source: entry.source,
  ...(entry.plugin_path === undefined ? {} : { plugin_path: entry.plugin_path }),
  status: entry.status,
  capabilities: entry.capabilities,
  indicators: entry.indicators,
  requirements: entry.requirements,
  best_for: entry.best_for,
  docs_uri: entry.docs_uri,
  upstream_dependencies: entry.upstream_dependencies,
  availability,
});
