/**
 * Compiles a tool's input schema once, keyed by its canonical text. Never fetches a `$ref`: what it cannot resolve is an
 * unreadable schema. The validator library is loaded on the first use, since a host that only lists never needs it.
 */
import { createRequire } from "node:module";
import type { Ajv, ErrorObject, ValidateFunction } from "ajv";
import { jcs } from "../../kernel/jcs.ts";

const MAX_DEPTH = 64;
const MAX_SUBSCHEMAS = 10_000;
const MAX_COMPILED = 10_000;
const MAX_TOLD = 500;

export type Check = (args: unknown) => { readonly path: string; readonly reason: string } | null;
export type Compiled = { readonly check: Check } | { readonly unreadable: string };

const require = createRequire(import.meta.url);
/** A pattern comes from a bundle and its subject from a caller: together they must not be able to hold up the host. */
const linearRegExp = Object.assign(
  (pattern: string): { test: (text: string) => boolean; toString: () => string } => {
    const { RE2JS } = require("re2js") as typeof import("re2js");
    const compiledPattern = RE2JS.compile(RE2JS.translateRegExp(pattern));
    // The validator tells patterns apart by their text.
    return { test: (text) => compiledPattern.test(text), toString: () => pattern };
  },
  { code: "linearRegExp" },
);

const OPTIONS = {
  code: { regExp: linearRegExp },
  strict: false,
  allErrors: false,
  validateFormats: false,
  validateSchema: false,
  addUsedSchema: false,
  logger: false,
} as const;

const engines = new Map<string, Ajv>();
const compiled = new Map<string, Compiled>();

const load = (dialect: "draft-07" | "2020-12"): Ajv => {
  const module: unknown = dialect === "draft-07" ? require("ajv") : require("ajv/dist/2020.js");
  return new (module as { default: new (options: object) => Ajv }).default(OPTIONS);
};

const engineFor = (schema: Readonly<Record<string, unknown>>): Ajv => {
  const stated = schema["$schema"];
  const dialect = typeof stated === "string" && stated.includes("draft-07") ? "draft-07" : "2020-12";
  const engine = engines.get(dialect) ?? load(dialect);
  engines.set(dialect, engine);
  return engine;
};

/** Null when the schema is small enough to be compiled. Listing asks this too, so that it agrees with calling. */
export const schemaTooLarge = (schema: unknown): string | null => {
  let count = 0;
  const walk = (value: unknown, depth: number): boolean => {
    if (typeof value !== "object" || value === null) return true;
    if (depth > MAX_DEPTH || ++count > MAX_SUBSCHEMAS) return false;
    return Object.values(value).every((child) => walk(child, depth + 1));
  };
  return walk(schema, 0) ? null : `schema_too_large: more than ${MAX_DEPTH} levels or ${MAX_SUBSCHEMAS} subschemas`;
};

/** Both hold names that the caller chose, of whatever length. */
const clip = (text: string): string => (text.length <= MAX_TOLD ? text : `${text.slice(0, MAX_TOLD)}...`);

const firstError = (errors: readonly ErrorObject[] | null | undefined): { path: string; reason: string } => {
  const error = errors?.[0];
  const extra = error?.params as { additionalProperty?: string; allowedValues?: unknown[] } | undefined;
  const named = extra?.additionalProperty === undefined ? "" : ` (${JSON.stringify(extra.additionalProperty)})`;
  const allowed = extra?.allowedValues === undefined ? "" : ` (${JSON.stringify(extra.allowedValues)})`;
  const reason = `${error?.message ?? "is not valid"}${named}${allowed}`;
  return { path: clip(error?.instancePath ?? ""), reason: clip(reason) };
};

const compile = (schema: unknown): Compiled => {
  if (typeof schema !== "object" || schema === null) return { unreadable: "it is not an object" };
  const large = schemaTooLarge(schema);
  if (large) return { unreadable: large };
  try {
    const validate: ValidateFunction = engineFor(schema as Record<string, unknown>).compile(schema);
    return { check: (args) => (validate(args) ? null : firstError(validate.errors)) };
  } catch (error) {
    return { unreadable: error instanceof Error ? error.message : "it does not compile" };
  }
};

const byDefinition = new WeakMap<object, Compiled>();

/** The check for a tool definition's `inputSchema`; absent means any object. */
export const compileSchema = (definition: Readonly<Record<string, unknown>>): Compiled => {
  const known = byDefinition.get(definition);
  if (known) return known;
  const schema = definition["inputSchema"] ?? {};
  const text = jcs(schema);
  const found = compiled.get(text) ?? compile(schema);
  if (compiled.size >= MAX_COMPILED) {
    compiled.clear();
    // An engine keeps every schema it has compiled.
    engines.clear();
  }
  compiled.set(text, found);
  byDefinition.set(definition, found);
  return found;
};
