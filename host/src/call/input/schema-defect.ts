/** Why a schema is not even compiled. Listing asks this too, so that it agrees with calling. */
const MAX_DEPTH = 64;
const MAX_SUBSCHEMAS = 10_000;
/** What stands beside each other is compiled into one nest, whose price grows with the square. */
const MAX_BESIDE = 1_000;

/** Null: nothing. A keyword of the validator's own makes its verdict a promise, which is a yes to whoever does not wait. */
export const schemaDefect = (schema: unknown): string | null => {
  let count = 0;
  const walk = (value: unknown, depth: number): string | null => {
    if (typeof value !== "object" || value === null) return null;
    if (depth > MAX_DEPTH || ++count > MAX_SUBSCHEMAS) return TOO_LARGE;
    if (Object.hasOwn(value, "$async")) return "schema_unsupported: $async is no keyword of JSON Schema";
    const children = Object.values(value).filter((child) => typeof child === "object" && child !== null);
    if (children.length > MAX_BESIDE) return TOO_LARGE;
    for (const child of children) {
      const defect = walk(child, depth + 1);
      if (defect !== null) return defect;
    }
    return null;
  };
  return walk(schema, 0);
};

const TOO_LARGE = `schema_too_large: more than ${MAX_DEPTH} levels, ${MAX_SUBSCHEMAS} subschemas, or ${MAX_BESIDE} side by side`;
