/** One generator as `capabilities://generators` shows it. */
export interface UpstreamDependencies {
  readonly services: readonly string[];
  readonly credentials_required: readonly string[];
  readonly optional_services: readonly string[];
  readonly expected_latency_ms: { readonly p50?: number; readonly p95?: number };
  readonly stability: "stable" | "beta" | "experimental";
  readonly concurrency_safe: boolean;
}

export interface GeneratorIndicators {
  readonly config_field?: string;
  readonly config_values?: readonly string[];
  readonly template_patterns?: readonly string[];
  readonly confidence: "high" | "medium" | "low";
  readonly excludes?: readonly string[];
}

export interface GeneratorEntry {
  readonly type: string;
  /** Of what implements it; of a plug-in its type. */
  readonly name: string;
  readonly version: string;
  readonly description: string;
  readonly source: "builtin" | "plugin";
  /** From the plug-in folder. */
  readonly plugin_path?: string;
  readonly status: "stable" | "experimental" | "deprecated";
  readonly capabilities: readonly string[];
  readonly indicators: GeneratorIndicators;
  readonly requirements: {
    readonly fields: readonly string[];
    readonly dependencies: readonly string[];
    readonly env_vars: readonly string[];
  };
  readonly best_for: readonly string[];
  readonly docs_uri: string;
  readonly upstream_dependencies: UpstreamDependencies | null;
  /** Why it cannot run here whatever it is given; shown as its availability. */
  readonly unavailable?: string;
}
