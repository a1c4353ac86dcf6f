/** Why a schema is not even compiled. Listing asks this too, so that it agrees with calling. */
import { WORKSPACE_PATH } from "./workspace-path.ts";

const MAX_DEPTH = 64;
const MAX_SUBSCHEMAS = 10_000;
/** What stands beside each other is compiled into one nest, whose price grows with the square. */
const MAX_BESIDE = 1_000;

/** Null: nothing. A keyword of the validator's own makes its verdict a promise, which is a yes to whoever does not wait. */
export const schemaDefect = (schema: unknown): string | null => {
  let count = 0;
  let hasPath = false;
  let leadsOut = false;
  const walk = (value: unknown, depth: number): string | null => {
    if (typeof value !== "object" || value === null) return null;
    if (depth > MAX_DEPTH || ++count > MAX_SUBSCHEMAS) return TOO_LARGE;
    if (Object.hasOwn(value, "$async")) return "schema_unsupported: $async is no keyword of JSON Schema";
    hasPath ||= (value as { format?: unknown }).format === WORKSPACE_PATH;
    leadsOut ||= isPartOfOther(value, depth);
    const children = Object.values(value).filter((child) => typeof child === "object" && child !== null);
    if (children.length > MAX_BESIDE) return TOO_LARGE;
    for (const child of children) {
      const defect = walk(child, depth + 1);
      if (defect !== null) return defect;
    }
    return null;
  };
  return walk(schema, 0) ?? (hasPath && leadsOut ? LEADS_OUT : null);
};

/** It refers to another document, or is one: where a path may stand is then not read from the schema alone. */
const isPartOfOther = (schema: object, depth: number): boolean => {
  const { $ref, $dynamicRef, $id } = schema as Readonly<Record<string, unknown>>;
  const isOther = (uri: unknown): boolean => typeof uri === "string" && !uri.startsWith("#");
  return isOther($ref) || isOther($dynamicRef) || (depth > 0 && isOther($id));
};

const LEADS_OUT = `schema_unsupported: a schema with the format ${WORKSPACE_PATH} refers to its own parts only, by #/...`;

const TOO_LARGE = `schema_too_large: more than ${MAX_DEPTH} levels, ${MAX_SUBSCHEMAS} subschemas, or ${MAX_BESIDE} side by side`;
