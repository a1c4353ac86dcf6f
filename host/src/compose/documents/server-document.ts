/** `capabilities://server`: name, versions, features, limits, runtime, live counts. Pure: the facts are the caller's. */

/** What the configuration can switch off. */
export interface SwitchedFeatures {
  readonly content_generation: boolean;
  readonly artifact_assembly: boolean;
  readonly config_lifecycle: boolean;
  readonly batch_operations: boolean;
  readonly ephemeral_storage: boolean;
  readonly resource_providers: boolean;
  readonly generator_plugins: boolean;
}

/** The effective ones, as they are enforced. */
export interface ShownLimits {
  readonly max_content_size_bytes: number;
  readonly max_artifact_components: number;
  readonly ephemeral_retention_days: number;
  readonly max_batch_size: number;
}

export interface ConcurrencyLimits {
  readonly max_concurrent_generations: number;
  readonly max_concurrent_assemblies: number;
  readonly queue_size: number;
  readonly timeout_seconds: number;
}

export interface ServerFacts {
  readonly name: string;
  readonly version: string;
  /** That it speaks, the newest first. */
  readonly mcpVersions: readonly [string, ...string[]];
  readonly features: SwitchedFeatures;
  readonly limits: ShownLimits;
  readonly concurrency: ConcurrencyLimits;
  readonly runtime: { readonly platform: string; readonly node: string; readonly mcpSdk: string };
  readonly counts: { readonly tools: number; readonly resources: number; readonly generators: number };
}

/** The format demands these two of every server; this one has neither. */
const ABSENT = "none";

export const serverDocument = (facts: ServerFacts): object => {
  const { name, version, mcpVersions, runtime, counts } = facts;
  return {
    name,
    version,
    mcp_version: mcpVersions[0],
    features: featuresOf(facts.features),
    limits: limitsOf(facts.limits),
    runtime: {
      python: ABSENT,
      fastmcp: ABSENT,
      platform: runtime.platform,
      node: runtime.node,
      mcp_sdk: runtime.mcpSdk,
    },
    tool_count: counts.tools,
    resource_count: counts.resources,
    generator_count: counts.generators,
    concurrency_limits: concurrencyOf(facts.concurrency),
    mcp_versions: mcpVersions,
  };
};

const featuresOf = (on: SwitchedFeatures): object => ({
  content_generation: on.content_generation,
  artifact_assembly: on.artifact_assembly,
  config_lifecycle: on.config_lifecycle,
  batch_operations: on.batch_operations,
  ephemeral_storage: on.ephemeral_storage,
  resource_providers: on.resource_providers,
  generator_plugins: on.generator_plugins,
  // Whoever reads this has it.
  capability_discovery: true,
  // The format took it back and kept the key.
  validation_suggestions: false,
});

const limitsOf = (limits: ShownLimits): object => ({
  max_content_size_bytes: limits.max_content_size_bytes,
  max_artifact_components: limits.max_artifact_components,
  ephemeral_retention_days: limits.ephemeral_retention_days,
  max_batch_size: limits.max_batch_size,
});

const concurrencyOf = (limits: ConcurrencyLimits): object => ({
  max_concurrent_generations: limits.max_concurrent_generations,
  max_concurrent_assemblies: limits.max_concurrent_assemblies,
  queue_size: limits.queue_size,
  timeout_seconds: limits.timeout_seconds,
});
