/** `schema://capabilities-server`: JSON Schema 2020-12 of `capabilities://server`. */
import { COUNT, DIALECT, FLAG, TEXT, mapOf, record } from "./schema-pieces.ts";

const ONE_OR_MORE = { type: "integer", minimum: 1 } as const;

export const SERVER_SCHEMA = {
  $schema: DIALECT,
  $id: "schema://capabilities-server",
  title: "What a server is",
  ...record(
    {
      name: TEXT,
      version: TEXT,
      mcp_version: TEXT,
      features: mapOf(FLAG),
      limits: mapOf({ type: "number", minimum: 0 }),
      runtime: record({ python: TEXT, fastmcp: TEXT, platform: TEXT }, { node: TEXT, mcp_sdk: TEXT }),
      tool_count: COUNT,
      resource_count: COUNT,
      generator_count: COUNT,
    },
    {
      concurrency_limits: record({
        max_concurrent_generations: ONE_OR_MORE,
        max_concurrent_assemblies: ONE_OR_MORE,
        queue_size: COUNT,
        timeout_seconds: { type: "number", exclusiveMinimum: 0 },
      }),
      mcp_versions: { type: "array", items: TEXT, minItems: 1 },
    },
  ),
};
