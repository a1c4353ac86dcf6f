/** `schema://content`: JSON Schema 2020-12 of content configs. Keys it does not name are allowed, and warned of elsewhere. */
import { DIALECT, EVOLUTION, ID, SCHEMA_REF, TEXT_FORMATS, VALIDATION, VERSION } from "./schema-parts.ts";

const METADATA = {
  type: "object",
  required: ["description", "version"],
  properties: {
    description: { type: "string", minLength: 1, maxLength: 500 },
    version: VERSION,
    generation_frequency: { enum: ["manual", "on_demand", "scheduled", "continuous"], default: "manual" },
    output_format: { enum: TEXT_FORMATS },
  },
} as const;

const ELEMENT = {
  type: "object",
  required: ["name"],
  properties: {
    name: { type: "string", minLength: 1 },
    description: { type: "string" },
    prompt_guidance: { type: "string" },
    format: { enum: ["markdown", "code", "text", "json", "yaml", "gherkin", "section"] },
    output_format: { type: "string" },
    example_output: { description: "Text; any other value is written as JSON." },
    generation_source: { enum: ["ai", "human", "template", "mixed"] },
    review_status: { enum: ["pending", "approved", "needs_revision"] },
    human_feedback: { type: "string" },
  },
} as const;

const SOURCE = {
  type: "object",
  required: ["id", "source_type", "source_locator"],
  properties: {
    id: { type: "string", minLength: 1 },
    source_type: {
      enum: [
        "inline_data",
        "external_file",
        "ephemeral_output",
        "content_config",
        "artifact_config",
        "git_reference",
        "requirement_id",
      ],
    },
    source_locator: { description: "Text; inline_data takes any JSON value." },
    data_selector: { type: "string", pattern: "^(/([^~]|~[01])*)?$", description: "A JSON Pointer." },
    required: { type: "boolean", default: true },
    notes: { type: "string" },
  },
} as const;

const PATTERN = {
  type: "object",
  required: ["id"],
  properties: {
    id: { type: "string", minLength: 1 },
    type: { type: "string", description: "A generator; absent: chosen by the rules of capabilities://generators." },
    template: { type: "string" },
    specification: { type: "string" },
    variables: {
      type: "array",
      items: {
        type: "object",
        required: ["name", "source"],
        properties: {
          name: { type: "string", minLength: 1 },
          source: { type: "string", minLength: 1, description: "elements.<name or index>.<field>" },
          default: {},
        },
      },
    },
    generation_config: { type: "object", properties: { context: { type: "object" } } },
  },
} as const;

const TEXT = { type: "string" } as const;

export const CONTENT_SCHEMA = {
  $schema: DIALECT,
  $id: "schema://content",
  title: "Content config",
  type: "object",
  required: ["type", "id", "schemaRef", "metadata", "elements"],
  properties: {
    type: { const: "content" },
    id: ID,
    schemaRef: SCHEMA_REF,
    metadata: METADATA,
    elements: { type: "array", minItems: 1, items: ELEMENT },
    instructions: { type: "object", properties: { global: TEXT, system_prompt: TEXT, user_prompt: TEXT } },
    inputs: { type: "object", properties: { sources: { type: "array", items: SOURCE } } },
    generation: { type: "object", properties: { patterns: { type: "array", items: PATTERN } } },
    validation: VALIDATION,
    evolution: EVOLUTION,
    state: {},
  },
} as const;
