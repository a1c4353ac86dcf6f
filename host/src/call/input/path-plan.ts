/**
 * Which arguments of a tool are paths of the workspace: those whose schema says `"format":"workspace-path"`, wherever in it that
 * stands. A schema that applies under a condition counts too, unless a constant in it tells that this value is of another kind.
 * Made once for each definition. References lead to parts of the same schema: `schemaDefect` leaves no others.
 */
import { linearRegExp } from "./linear-reg-exp.ts";
import { WORKSPACE_PATH } from "../../kernel/schema-shape.ts";

type Json = Readonly<Record<string, unknown>>;

/** Values of members that a schema excludes all others of. */
export type Kinds = readonly { readonly key: string; readonly values: readonly unknown[] }[];

/** What a schema says of the paths in a value that it applies to. Plans lead to each other in circles. */
export interface PathPlan {
  readonly isPath: boolean;
  /** Plans for the same value. */
  readonly also: { readonly plan: PathPlan; readonly kinds: Kinds }[];
  readonly properties: Map<string, PathPlan>;
  readonly patterns: { readonly key: { test(text: string): boolean }; readonly plan: PathPlan }[];
  /** For members that none of these two is about. */
  readonly others: PathPlan[];
  readonly prefix: PathPlan[];
  /** For items behind `prefix`. */
  readonly items: PathPlan[];
  /** For all items. */
  readonly each: PathPlan[];
  /** There is a path in it or in what it leads to. */
  leads: boolean;
}

const isObject = (value: unknown): value is Json =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const entriesOf = (value: unknown): [string, unknown][] => (isObject(value) ? Object.entries(value) : []);
const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? (value as unknown[]) : []);

const kindsOf = (schema: unknown): Kinds =>
  entriesOf(isObject(schema) ? schema["properties"] : null).flatMap(([key, member]) => {
    if (!isObject(member)) return [];
    const values = Object.hasOwn(member, "const") ? [member["const"]] : listOf(member["enum"]);
    const plain = values.every((value) => typeof value !== "object" || value === null);
    return values.length > 0 && plain ? [{ key, values }] : [];
  });

const emptyPlan = (isPath: boolean): PathPlan => ({
  isPath,
  also: [],
  properties: new Map(),
  patterns: [],
  others: [],
  prefix: [],
  items: [],
  each: [],
  leads: false,
});

const NO_PATHS = Object.freeze(emptyPlan(false));
const ALWAYS: Kinds = Object.freeze([]);

class PlanReader {
  readonly #root: Json;
  readonly #plans = new Map<Json, PathPlan>();
  readonly #unread: Json[] = [];
  readonly #leadingTo = new Map<PathPlan, PathPlan[]>();
  #anchors: ReadonlyMap<string, Json> | null = null;

  constructor(root: Json) {
    this.#root = root;
  }

  /** Null: there is no path in it. */
  read(): PathPlan | null {
    const plan = this.#planOf(this.#root);
    for (let schema = this.#unread.pop(); schema !== undefined; schema = this.#unread.pop()) this.#fill(schema);
    const leading = [...this.#plans.values()].filter(({ isPath }) => isPath);
    for (let next = leading.pop(); next !== undefined; next = leading.pop()) {
      if (next.leads) continue;
      next.leads = true;
      leading.push(...(this.#leadingTo.get(next) ?? []));
    }
    return plan.leads ? plan : null;
  }

  #planOf(schema: Json): PathPlan {
    const known = this.#plans.get(schema);
    if (known) return known;
    const plan = emptyPlan(schema["format"] === WORKSPACE_PATH);
    this.#plans.set(schema, plan);
    this.#unread.push(schema);
    return plan;
  }

  #fill(schema: Json): void {
    const plan = this.#planOf(schema);
    const add = (child: unknown, put: (next: PathPlan) => void): void => {
      // `true` says nothing, and still a member or an item that it stands for is spoken for.
      if (typeof child === "boolean") put(NO_PATHS);
      if (!isObject(child)) return;
      const next = this.#planOf(child);
      put(next);
      const leading = this.#leadingTo.get(next);
      if (leading) leading.push(plan);
      else this.#leadingTo.set(next, [plan]);
    };
    this.#fillSame(schema, (child, kinds = ALWAYS) => add(child, (next) => plan.also.push({ plan: next, kinds })));
    for (const [key, child] of entriesOf(schema["properties"])) add(child, (next) => plan.properties.set(key, next));
    for (const [pattern, child] of entriesOf(schema["patternProperties"]))
      add(child, (next) => plan.patterns.push({ key: linearRegExp(pattern), plan: next }));
    for (const key of ["additionalProperties", "unevaluatedProperties"])
      add(schema[key], (next) => plan.others.push(next));
    const { items, prefixItems } = schema;
    for (const child of listOf(prefixItems ?? items)) add(child, (next) => plan.prefix.push(next));
    for (const child of [items, schema["additionalItems"], schema["unevaluatedItems"]])
      add(child, (next) => plan.items.push(next));
    add(schema["contains"], (next) => plan.each.push(next));
  }

  /** Schemas for the very value. */
  #fillSame(schema: Json, add: (child: unknown, kinds?: Kinds) => void): void {
    for (const key of ["$ref", "$dynamicRef", "$recursiveRef"]) add(this.#follow(schema[key]));
    for (const child of listOf(schema["allOf"])) add(child);
    for (const key of ["anyOf", "oneOf"]) for (const child of listOf(schema[key])) add(child, kindsOf(child));
    add(schema["if"]);
    add(schema["then"], kindsOf(schema["if"]));
    add(schema["else"]);
    for (const key of ["dependentSchemas", "dependencies"]) for (const [, child] of entriesOf(schema[key])) add(child);
  }

  #follow(ref: unknown): unknown {
    if (typeof ref !== "string" || !ref.startsWith("#")) return null;
    if (ref === "#") return this.#root;
    if (!ref.startsWith("#/")) return (this.#anchors ??= anchorsOf(this.#root)).get(ref.slice(1)) ?? null;
    let at: unknown = this.#root;
    for (const step of ref.slice(2).split("/")) {
      const key = decode(step).replaceAll("~1", "/").replaceAll("~0", "~");
      at = typeof at === "object" && at !== null && Object.hasOwn(at, key) ? (at as Json)[key] : null;
    }
    return at;
  }
}

const decode = (step: string): string => {
  try {
    return decodeURIComponent(step);
  } catch {
    return step;
  }
};

const anchorsOf = (root: Json): ReadonlyMap<string, Json> => {
  const found = new Map<string, Json>();
  const left: unknown[] = [root];
  while (left.length > 0) {
    const at = left.pop();
    if (typeof at !== "object" || at === null) continue;
    const { $anchor, $dynamicAnchor, $id } = at as Json;
    const old = typeof $id === "string" && $id.startsWith("#") ? $id.slice(1) : null;
    for (const name of [$anchor, $dynamicAnchor, old]) if (typeof name === "string") found.set(name, at as Json);
    left.push(...Object.values(at));
  }
  return found;
};

const known = new WeakMap<Json, { readonly plan: PathPlan | null }>();

/** Of a tool's definition, once its schema was found to compile; null: it takes no paths. */
export const pathPlan = (definition: Json): PathPlan | null => {
  const made = known.get(definition);
  if (made) return made.plan;
  const schema = definition["inputSchema"];
  const plan = isObject(schema) ? new PlanReader(schema).read() : null;
  known.set(definition, { plan });
  return plan;
};
