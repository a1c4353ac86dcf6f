/** `schema://capabilities-resources`: JSON Schema 2020-12 of `capabilities://resources`. */
import { COUNT, DIALECT, TEXT, TEXTS, mapOf, record } from "./schema-pieces.ts";

export const RESOURCES_SCHEMA = {
  $schema: DIALECT,
  $id: "schema://capabilities-resources",
  title: "What a server's resources are",
  ...record({
    resources: mapOf(
      record({
        patterns: { type: "array", items: TEXT, minItems: 1 },
        mime_type: TEXT,
        description: TEXT,
        parameters: mapOf(record({ type: TEXT, description: TEXT }, { enum: TEXTS })),
        examples: TEXTS,
      }),
    ),
    metadata: record({ total_count: COUNT, version: TEXT }),
  }),
};
