/**
 * `schema://generator-plugin`: JSON Schema 2020-12 of what the default export of a plug-in says of itself. Its function
 * `generate` is no JSON and so not in it.
 */
import { DIALECT, record } from "../documents/schema-pieces.ts";
import { BUILT_IN_GENERATORS } from "../generators/built-in-generators.ts";

const RESERVED = ["decision_tree", "list", "builtin", "plugins"];

/** What is null is taken as not said. */
const orNull = (schema: object): object => ({ anyOf: [schema, { type: "null" }] });
const choice = (...values: readonly string[]): object => ({ enum: [...values, null] });
const optional = (properties: Readonly<Record<string, object>>) => record({}, properties);

const LINE = { type: "string", minLength: 1, maxLength: 500 };
const LINES = { type: "array", maxItems: 100, items: LINE };
const MILLISECONDS = { type: "number", exclusiveMinimum: 0 };

const UPSTREAM = optional({
  services: orNull(LINES),
  credentials_required: orNull({
    ...LINES,
    items: { type: "string", pattern: "^[A-Za-z_][A-Za-z0-9_]{0,127}$" },
    description: "Variables of the host that the plug-in is granted; without them it is not called.",
  }),
  optional_services: orNull(LINES),
  expected_latency_ms: orNull(optional({ p50: MILLISECONDS, p95: MILLISECONDS })),
  stability: choice("stable", "beta", "experimental"),
  concurrency_safe: { type: ["boolean", "null"], description: "false: one at a time. If it says nothing: true." },
});

export const GENERATOR_PLUGIN_SCHEMA = {
  $schema: DIALECT,
  $id: "schema://generator-plugin",
  title: "What a generator plug-in says of itself",
  description:
    "The default export of <type>.generator.mjs, .js or .ts, which also has a function " +
    "generate({config, pattern, context, signal}) that returns the text, or a promise of it.",
  ...record(
    {
      type: {
        type: "string",
        pattern: "^[a-z][a-z0-9_-]{0,63}$",
        not: { enum: [...RESERVED, ...BUILT_IN_GENERATORS.map(({ type }) => type)] },
        description: "As the name of the file says it. Those of the host and reserved ones cannot be taken.",
      },
      version: { type: "string", minLength: 1, maxLength: 64 },
    },
    {
      description: { type: "string", minLength: 1, maxLength: 2_000 },
      status: choice("stable", "experimental", "deprecated"),
      capabilities: orNull(LINES),
      indicators: orNull(
        optional({
          config_field: LINE,
          config_values: orNull(LINES),
          template_patterns: orNull(LINES),
          confidence: choice("high", "medium", "low"),
          excludes: orNull(LINES),
        }),
      ),
      requirements: orNull(optional({ fields: orNull(LINES), dependencies: orNull(LINES), env_vars: orNull(LINES) })),
      best_for: orNull(LINES),
      upstream_dependencies: orNull(UPSTREAM),
    },
  ),
};
