/**
 * Compiles a tool's schemas once, keyed by its canonical text. Never fetches a `$ref`: what it cannot resolve is an
 * unreadable schema. The validator library is loaded on the first use, since a host that only lists never needs it.
 */
import { createRequire } from "node:module";
import type { Ajv, ErrorObject, ValidateFunction } from "ajv";
import { jcs } from "../../kernel/jcs.ts";
import { beginWork, TooMuchWork } from "./check-work.ts";
import { linearRegExp } from "./linear-reg-exp.ts";
import { meterKeywords } from "./meter-keywords.ts";
import { schemaDefect } from "./schema-defect.ts";
import { UNIQUE_ITEMS } from "./unique-items.ts";

const MAX_COMPILED = 10_000;
const MAX_TOLD = 500;

export type Check = (args: unknown) => { readonly path: string; readonly reason: string } | null;
export type Compiled = { readonly check: Check } | { readonly unreadable: string };

const require = createRequire(import.meta.url);
const OPTIONS = {
  code: { regExp: linearRegExp, optimize: false },
  strict: false,
  allErrors: false,
  validateFormats: false,
  validateSchema: false,
  addUsedSchema: false,
  // What is referred to often would be compiled as often.
  inlineRefs: false,
  logger: false,
} as const;

const engines = new Map<string, Ajv>();
const compiled = new Map<string, Compiled>();

const load = (dialect: "draft-07" | "2020-12"): Ajv => {
  const module: unknown = dialect === "draft-07" ? require("ajv") : require("ajv/dist/2020.js");
  const engine = new (module as { default: new (options: object) => Ajv }).default(OPTIONS);
  return meterKeywords(engine.removeKeyword("uniqueItems").addKeyword(UNIQUE_ITEMS));
};

const engineFor = (schema: Readonly<Record<string, unknown>>): Ajv => {
  const stated = schema["$schema"];
  const dialect = typeof stated === "string" && stated.includes("draft-07") ? "draft-07" : "2020-12";
  const engine = engines.get(dialect) ?? load(dialect);
  engines.set(dialect, engine);
  return engine;
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

const TOO_MUCH = { path: "", reason: "takes too much work to check against the schema; send less at once" };

const run = (validate: ValidateFunction, args: unknown): { path: string; reason: string } | null => {
  beginWork();
  try {
    return validate(args) ? null : firstError(validate.errors);
  } catch (error) {
    // A schema that refers to itself, or a value that is nested as deep, ends the stack.
    if (error instanceof TooMuchWork || error instanceof RangeError) return TOO_MUCH;
    throw error;
  }
};

const compile = (schema: unknown): Compiled => {
  if (typeof schema !== "object" || schema === null) return { unreadable: "it is not an object" };
  const defect = schemaDefect(schema);
  if (defect !== null) return { unreadable: defect };
  try {
    const validate: ValidateFunction = engineFor(schema as Record<string, unknown>).compile(schema);
    return { check: (args) => run(validate, args) };
  } catch (error) {
    return { unreadable: error instanceof Error ? error.message : "it does not compile" };
  }
};

type Member = "inputSchema" | "outputSchema";

const byDefinition: Readonly<Record<Member, WeakMap<object, Compiled>>> = {
  inputSchema: new WeakMap(),
  outputSchema: new WeakMap(),
};

/** The check for a schema of a tool definition; absent means any value. */
export const compileSchema = (
  definition: Readonly<Record<string, unknown>>,
  member: Member = "inputSchema",
): Compiled => {
  const known = byDefinition[member].get(definition);
  if (known) return known;
  const schema = definition[member] ?? {};
  const text = jcs(schema);
  const found = compiled.get(text) ?? compile(schema);
  if (compiled.size >= MAX_COMPILED) {
    compiled.clear();
    // An engine keeps every schema it has compiled.
    engines.clear();
  }
  compiled.set(text, found);
  byDefinition[member].set(definition, found);
  return found;
};
