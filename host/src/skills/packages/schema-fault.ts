/**
 * Why a JSON Schema of a tool cannot be used; null: nothing is wrong with it. It is compiled as it will be when the tool is
 * called: nothing is fetched, patterns have to run in linear time. The validator is loaded with the first schema, and what
 * it made is thrown away. What its shape forbids was asked before.
 */
import { createRequire } from "node:module";
import type { Ajv } from "ajv";

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
  const stated = schema["$schema"];
  const isOld = typeof stated === "string" && stated.includes("draft-07");
  const engine = engineFor(isOld ? "draft-07" : "2020-12");
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

const engineFor = (dialect: "draft-07" | "2020-12"): Ajv => {
  const known = engines.get(dialect);
  if (known !== undefined) return known;
  const module: unknown = dialect === "draft-07" ? require("ajv") : require("ajv/dist/2020.js");
  const engine = new (module as { default: new (options: object) => Ajv }).default(OPTIONS);
  engines.set(dialect, engine);
  return engine;
};
