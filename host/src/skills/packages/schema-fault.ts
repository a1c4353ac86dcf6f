/**
 * Why a JSON Schema of a tool cannot be used; null: nothing is wrong with it. It is compiled as it will be when the tool is
 * called: nothing is fetched, patterns have to run in linear time. The validator is loaded with the first schema, and what
 * it made is thrown away.
 */
import { createRequire } from "node:module";
import type { Ajv } from "ajv";

const MAX_DEPTH = 64;
const MAX_SUBSCHEMAS = 10_000;
const MAX_BESIDE = 1_000;

const require = createRequire(import.meta.url);

const linearRegExp = Object.assign(
  (pattern: string): { test: (text: string) => boolean } => {
    const { RE2JS } = require("re2js") as typeof import("re2js");
    const compiled = RE2JS.compile(RE2JS.translateRegExp(pattern));
    return { test: (text) => compiled.test(text) };
  },
  { code: "linearRegExp" },
);

const OPTIONS = {
  code: { regExp: linearRegExp, optimize: false },
  strict: false,
  validateFormats: false,
  addUsedSchema: false,
  inlineRefs: false,
  logger: false,
} as const;

const engines = new Map<string, Ajv>();

export const schemaFault = (schema: Readonly<Record<string, unknown>>): string | null => {
  const shape = shapeFault(schema);
  if (shape !== null) return shape;
  const stated = schema["$schema"];
  const isOld = typeof stated === "string" && stated.includes("draft-07");
  const engine = engineFor(isOld ? "ajv" : "ajv/dist/2020.js");
  try {
    if (engine.validateSchema(schema) !== true) {
      const [error] = engine.errors ?? [];
      return `${error?.instancePath === "" ? "it" : (error?.instancePath ?? "it")} ${error?.message ?? "is not valid"}`;
    }
    engine.compile(schema);
    return null;
  } catch (error) {
    return error instanceof Error ? error.message : "it does not compile";
  } finally {
    engine.removeSchema(schema);
  }
};

const engineFor = (module: string): Ajv => {
  const known = engines.get(module);
  if (known !== undefined) return known;
  const { default: Engine } = require(module) as { default: new (options: object) => Ajv };
  const engine = new Engine(OPTIONS);
  engines.set(module, engine);
  return engine;
};

const shapeFault = (schema: unknown): string | null => {
  let count = 0;
  const walk = (value: unknown, depth: number): string | null => {
    if (typeof value !== "object" || value === null) return null;
    if (depth > MAX_DEPTH || ++count > MAX_SUBSCHEMAS) return "it is too large";
    if (Object.hasOwn(value, "$async")) return "$async is no keyword of JSON Schema";
    const children = Object.values(value).filter((child) => typeof child === "object" && child !== null);
    if (children.length > MAX_BESIDE) return "it is too large";
    for (const child of children) {
      const fault = walk(child, depth + 1);
      if (fault !== null) return fault;
    }
    return null;
  };
  return walk(schema, 0);
};
