/** `schema://artifact`: JSON Schema 2020-12 of artifact configs. Keys it does not name are allowed, and warned of elsewhere. */
import { DIALECT, EVOLUTION, ID, SCHEMA_REF, TEXT_FORMATS, VALIDATION } from "./schema-parts.ts";

const OUTPUT = {
  type: "object",
  required: ["file", "format"],
  properties: {
    file: { type: "string", minLength: 1, maxLength: 4096 },
    format: { enum: TEXT_FORMATS },
    encoding: { type: "string", default: "utf-8" },
    language_dialect: { type: "string" },
  },
} as const;

const METADATA = {
  type: "object",
  required: ["title", "purpose", "outputs"],
  properties: {
    title: { type: "string", minLength: 1, maxLength: 200 },
    purpose: { type: "string", minLength: 1, maxLength: 1000 },
    outputs: { type: "array", minItems: 1, items: OUTPUT },
    type: { enum: ["documentation", "test", "code", "configuration", "report", "mixed"] },
    version: { type: "string" },
    description: { type: "string" },
    compositionStrategy: { enum: ["concat", "merge", "template"], default: "concat" },
    compositionConfig: {
      type: "object",
      properties: {
        separator: { type: "string", default: "\n\n" },
        template: { type: "string", minLength: 1 },
        arrays: { enum: ["concat", "replace", "unique"], default: "concat" },
      },
    },
  },
  if: { required: ["compositionStrategy"], properties: { compositionStrategy: { const: "template" } } },
  // oxlint-disable-next-line unicorn/no-thenable -- a keyword of JSON Schema
  then: { required: ["compositionConfig"], properties: { compositionConfig: { required: ["template"] } } },
} as const;

/** Which version is meant must be said by both members or by neither. */
const CHILD = {
  type: "object",
  required: ["id"],
  properties: {
    id: ID,
    path: { type: "string" },
    required: { type: "boolean", default: true },
    order: { type: "number" },
    version: { type: "string", minLength: 1, maxLength: 100 },
    retrievalStrategy: { enum: ["latest", "all", "version", "approved_only"], default: "latest" },
    conditions: { type: "object", description: "Context path to the value that it must have." },
    review_required: { type: "boolean", default: false },
  },
  if: { required: ["retrievalStrategy"], properties: { retrievalStrategy: { const: "version" } } },
  // oxlint-disable-next-line unicorn/no-thenable -- a keyword of JSON Schema
  then: { required: ["version"] },
  dependentSchemas: {
    version: { properties: { retrievalStrategy: { const: "version" } }, required: ["retrievalStrategy"] },
  },
} as const;

export const ARTIFACT_SCHEMA = {
  $schema: DIALECT,
  $id: "schema://artifact",
  title: "Artifact config",
  type: "object",
  required: ["type", "id", "schemaRef", "metadata", "content"],
  properties: {
    type: { const: "artifact" },
    id: ID,
    schemaRef: SCHEMA_REF,
    metadata: METADATA,
    content: {
      type: "object",
      required: ["children"],
      properties: { children: { type: "array", minItems: 1, maxItems: 100, items: CHILD } },
    },
    dependencies: { type: "array" },
    validation: VALIDATION,
    evolution: EVOLUTION,
  },
} as const;
