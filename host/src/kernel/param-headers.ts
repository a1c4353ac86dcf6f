/**
 * Arguments that a modern HTTP server wants to see in headers as well: `x-mcp-header` in a tool's input schema. Both legs
 * read them here, so that what a client must send and what an upstream is sent follow one reading of the schema.
 */
type JsonObject = Readonly<Record<string, unknown>>;

const isObject = (value: unknown): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);

export interface ParamHeader {
  readonly header: string;
  /** Where the argument stands. */
  readonly path: readonly string[];
}

const ANNOTATION = "x-mcp-header";
const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
const TYPES = new Set<unknown>(["string", "integer", "boolean"]);
/** Keywords whose values are data, not schemas. */
const DATA = new Set(["const", "default", "enum", "examples"]);

/** The annotations of a schema, or what is wrong with them. */
export const findParamHeaders = (schema: unknown): readonly ParamHeader[] | string => {
  const found: ParamHeader[] = [];
  const problem = visit(schema, [], found);
  if (problem !== null) return problem;
  const names = new Set(found.map(({ header }) => header.toLowerCase()));
  return names.size === found.length ? found : "two parameters ask for one header";
};

/** `path` is null where no chain of `properties` leads. */
const visit = (node: unknown, path: readonly string[] | null, found: ParamHeader[]): string | null => {
  if (Array.isArray(node)) return firstProblem(node.map((child) => () => visit(child, null, found)));
  if (!isObject(node)) return null;
  const problem = ANNOTATION in node ? annotate(node, path, found) : null;
  if (problem !== null) return problem;
  return firstProblem(
    Object.entries(node).map(([key, child]) => () => {
      if (DATA.has(key) || key === ANNOTATION) return null;
      if (key !== "properties" || !isObject(child)) return visit(child, null, found);
      return firstProblem(
        Object.entries(child).map(
          ([name, property]) =>
            () =>
              visit(property, path && [...path, name], found),
        ),
      );
    }),
  );
};

const annotate = (schema: JsonObject, path: readonly string[] | null, found: ParamHeader[]): string | null => {
  const header = schema[ANNOTATION];
  if (path === null || path.length === 0) return "a header is asked for where no argument stands for certain";
  const where = path.join(".");
  if (typeof header !== "string" || !TOKEN.test(header)) return `the header name of "${where}" is none`;
  if (!TYPES.has(schema["type"])) return `"${where}" is not a string, integer or boolean`;
  found.push({ header, path });
  return null;
};

const firstProblem = (checks: readonly (() => string | null)[]): string | null => {
  for (const check of checks) {
    const problem = check();
    if (problem !== null) return problem;
  }
  return null;
};

/** The argument that a header repeats; undefined when it is not there. */
export const argumentAt = (args: unknown, path: readonly string[]): unknown => {
  let node = args;
  for (const key of path) {
    if (!isObject(node) || !Object.hasOwn(node, key)) return undefined;
    node = node[key];
  }
  return node;
};
