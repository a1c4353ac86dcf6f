/**
 * Why a schema is not even compiled, decided on its shape alone. Whoever lists a tool, calls it or reads it from a file asks
 * here, so that none of them serves what another one refuses.
 */

/** The format of an argument that is a path of the workspace: the host resolves it, and the tool gets the absolute one. */
export const WORKSPACE_PATH = "workspace-path";

/**
 * `async`: a keyword of the validator's own makes its verdict a promise, which is a yes to whoever does not wait.
 * `leads_out`: where a path may stand cannot be read from the schema alone.
 */
export type ShapeFault = "too_large" | "async" | "leads_out";

export const SCHEMA_LIMITS = Object.freeze({
  depth: 64,
  subschemas: 10_000,
  /** What stands beside each other is compiled into one nest, whose price grows with the square. */
  beside: 1_000,
});

interface SchemaShape {
  /** Null: nothing is wrong with it. */
  readonly fault: ShapeFault | null;
  /** How many objects and lists it is made of, each as often as it stands there; as far as they were counted. */
  readonly parts: number;
}

export const schemaShape = (schema: unknown): SchemaShape => {
  let parts = 0;
  let hasPath = false;
  let leadsOut = false;
  const walk = (value: unknown, depth: number): ShapeFault | null => {
    if (typeof value !== "object" || value === null) return null;
    if (++parts > SCHEMA_LIMITS.subschemas || depth > SCHEMA_LIMITS.depth) return "too_large";
    if (Object.hasOwn(value, "$async")) return "async";
    hasPath ||= (value as { format?: unknown }).format === WORKSPACE_PATH;
    leadsOut ||= isPartOfOther(value, depth);
    const children = Object.values(value).filter((child) => typeof child === "object" && child !== null);
    if (children.length > SCHEMA_LIMITS.beside) return "too_large";
    for (const child of children) {
      const fault = walk(child, depth + 1);
      if (fault !== null) return fault;
    }
    return null;
  };
  const fault = walk(schema, 0) ?? (hasPath && leadsOut ? "leads_out" : null);
  return { fault, parts };
};

/** It refers to another document, or is one. */
const isPartOfOther = (schema: object, depth: number): boolean => {
  const { $ref, $dynamicRef, $id } = schema as Readonly<Record<string, unknown>>;
  const isOther = (uri: unknown): boolean => typeof uri === "string" && !uri.startsWith("#");
  return isOther($ref) || isOther($dynamicRef) || (depth > 0 && isOther($id));
};
