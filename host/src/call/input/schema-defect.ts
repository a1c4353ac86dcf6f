/** Why a schema is not even compiled, as it is told. Listing asks this too, so that it agrees with calling. */
import { SCHEMA_LIMITS, schemaShape, WORKSPACE_PATH, type ShapeFault } from "../../kernel/schema-shape.ts";

const { depth, subschemas, beside } = SCHEMA_LIMITS;

const TEXTS: Readonly<Record<ShapeFault, string>> = {
  async: "schema_unsupported: $async is no keyword of JSON Schema",
  leads_out: `schema_unsupported: a schema with the format ${WORKSPACE_PATH} refers to its own parts only, by #/...`,
  too_large: `schema_too_large: more than ${depth} levels, ${subschemas} subschemas, or ${beside} side by side`,
};

/** Null: nothing. */
export const schemaDefect = (schema: unknown): string | null => {
  const { fault } = schemaShape(schema);
  return fault === null ? null : TEXTS[fault];
};
