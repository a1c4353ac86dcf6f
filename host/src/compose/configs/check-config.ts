/**
 * What is wrong with a config: every violation of its schema, and what it says that nothing here does. Saving needs no
 * violation; warnings are told.
 */
import { createRequire } from "node:module";
import type { ErrorObject, ValidateFunction } from "ajv";
import type { Ajv2020 } from "ajv/dist/2020.js";
import { ARTIFACT_SCHEMA } from "./artifact-schema.ts";
import { choosePattern } from "../generators/choose-pattern.ts";
import { UNDEFINED_BEHAVIORS } from "../generators/generator-inputs.ts";
import type { ArtifactConfig, ConfigType, ContentConfig } from "./config-types.ts";
import type { ConfigReading, ConfigWarning, GeneratorOf, Violation } from "./config-reading.ts";
import { CONTENT_SCHEMA } from "./content-schema.ts";
import { isNestedTooDeep, NESTED_TOO_DEEP } from "./nesting.ts";
import { findUnknownKeys } from "./unknown-keys.ts";
import { unsupportedArtifactFields } from "./unsupported-artifact-fields.ts";
import { unsupportedContentFields } from "./unsupported-content-fields.ts";

const MAX_TOLD = 200;
const SCHEMAS = { content: CONTENT_SCHEMA, artifact: ARTIFACT_SCHEMA } as const;
const require = createRequire(import.meta.url);
const checks = new Map<ConfigType, ValidateFunction>();

const checkOf = (type: ConfigType): ValidateFunction => {
  const known = checks.get(type);
  if (known !== undefined) return known;
  const { Ajv2020: Engine } = require("ajv/dist/2020.js") as { Ajv2020: typeof Ajv2020 };
  const check = new Engine({ allErrors: true, strict: false, logger: false }).compile(SCHEMAS[type]);
  checks.set(type, check);
  return check;
};

export const checkConfig = (type: ConfigType, data: unknown, generatorOf: GeneratorOf): ConfigReading => {
  if (isNestedTooDeep(data)) return { errors: [{ pointer: "", message: NESTED_TOO_DEEP }], warnings: [] };
  const check = checkOf(type);
  const isValid = check(data);
  const errors = isValid ? [] : tellErrors(check.errors ?? []);
  const unknown = limit(findUnknownKeys(SCHEMAS[type], data));
  if (!isValid) return { errors, warnings: unknown };
  if (type === "artifact") {
    return { errors, warnings: [...unknown, ...limit(unsupportedArtifactFields(data as ArtifactConfig))] };
  }
  const config = data as ContentConfig;
  const unsupported = limit(unsupportedContentFields(config, generatorOf));
  return { errors: settingFaults(config, generatorOf), warnings: [...unknown, ...unsupported] };
};

/** What only the generator that takes the config can say of it. */
const settingFaults = (config: ContentConfig, generatorOf: GeneratorOf): readonly Violation[] => {
  const type = generatorOf(config);
  const pattern = type === "template_fill" ? choosePattern(config, type) : null;
  const behavior = pattern?.generation_config?.["undefined_behavior"];
  if (behavior === undefined || UNDEFINED_BEHAVIORS.includes(behavior as string)) return [];
  const at = config.generation?.patterns?.indexOf(pattern!) ?? 0;
  const pointer = `/generation/patterns/${at}/generation_config/undefined_behavior`;
  return [{ pointer, message: `must be one of: ${UNDEFINED_BEHAVIORS.join(", ")}` }];
};

const tellErrors = (errors: readonly ErrorObject[]): readonly Violation[] => {
  // That one of two branches failed says nothing beside what failed in it.
  const own = errors.filter(({ keyword }) => keyword !== "if");
  const told = own.slice(0, MAX_TOLD).map(tellError);
  if (own.length > MAX_TOLD) told.push({ pointer: "", message: `and ${own.length - MAX_TOLD} more violations` });
  return told;
};

const tellError = ({ keyword, instancePath, params, message = "is not valid" }: ErrorObject): Violation => {
  const { missingProperty, allowedValues, allowedValue } = params as {
    missingProperty?: string;
    allowedValues?: readonly unknown[];
    allowedValue?: unknown;
  };
  if (keyword === "required") return { pointer: `${instancePath}/${missingProperty ?? ""}`, message: "is required" };
  if (allowedValues !== undefined)
    return { pointer: instancePath, message: `must be one of: ${allowedValues.join(", ")}` };
  if (keyword === "const") return { pointer: instancePath, message: `must be ${JSON.stringify(allowedValue)}` };
  return { pointer: instancePath, message };
};

const limit = (warnings: readonly ConfigWarning[]): readonly ConfigWarning[] => warnings.slice(0, MAX_TOLD);
