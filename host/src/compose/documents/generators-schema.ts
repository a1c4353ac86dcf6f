/** `schema://capabilities-generators`: JSON Schema 2020-12 of `capabilities://generators`. */
import { COUNT, DIALECT, FLAG, TEXT, TEXTS, list, mapOf, record } from "./schema-pieces.ts";

const LATENCY = { type: "number", minimum: 0 } as const;

const UPSTREAM = record({
  services: TEXTS,
  credentials_required: TEXTS,
  optional_services: TEXTS,
  expected_latency_ms: record({}, { p50: LATENCY, p95: LATENCY }),
  stability: { enum: ["stable", "beta", "experimental"] },
  concurrency_safe: FLAG,
});

const GENERATOR = {
  ...record(
    {
      type: TEXT,
      name: TEXT,
      version: TEXT,
      source: { enum: ["builtin", "plugin"] },
      status: { enum: ["stable", "experimental", "deprecated"] },
      capabilities: TEXTS,
      indicators: record(
        { confidence: { enum: ["high", "medium", "low"] } },
        { config_field: TEXT, config_values: TEXTS, template_patterns: TEXTS, excludes: TEXTS },
      ),
      requirements: record({ fields: TEXTS, dependencies: TEXTS, env_vars: TEXTS }),
      best_for: TEXTS,
      docs_uri: TEXT,
      upstream_dependencies: { anyOf: [UPSTREAM, { type: "null" }] },
    },
    {
      plugin_path: TEXT,
      availability: record({ status: { enum: ["available", "unavailable"] } }, { reason: TEXT, missing: TEXTS }),
    },
  ),
  // A path is what tells a plug-in from what comes with the host.
  oneOf: [
    { properties: { source: { const: "plugin" } }, required: ["plugin_path"] },
    { properties: { source: { const: "builtin" }, plugin_path: false } },
  ],
};

export const GENERATORS_SCHEMA = {
  $schema: DIALECT,
  $id: "schema://capabilities-generators",
  title: "What a server's generators are",
  ...record({
    generators: mapOf(GENERATOR),
    selection_strategy: record({ type: TEXT, explanation: TEXT, fallback: TEXT }, { rules: list({ type: "object" }) }),
    metadata: record(
      { version: TEXT, generator_count: COUNT, builtin_count: COUNT, plugin_count: COUNT },
      {
        rejected: list(
          record({
            plugin_path: TEXT,
            reason_code: { enum: ["type_taken", "load_failed", "invalid_export"] },
            message: TEXT,
          }),
        ),
      },
    ),
  }),
};
