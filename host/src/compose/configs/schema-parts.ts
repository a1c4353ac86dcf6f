/** What the schemas of content and artifact configs have in common. */
export const DIALECT = "https://json-schema.org/draft/2020-12/schema";

export const ID = { type: "string", pattern: "^[a-z][a-z0-9-]{0,254}$" } as const;

export const VERSION = { type: "string", pattern: "^\\d+\\.\\d+\\.\\d+$" } as const;

export const TEXT_FORMATS = [
  "markdown",
  "json",
  "yaml",
  "python",
  "javascript",
  "typescript",
  "gherkin",
  "text",
  "html",
  "xml",
] as const;

export const SCHEMA_REF = {
  type: "object",
  required: ["id", "version"],
  properties: {
    id: { type: "string", minLength: 1 },
    version: { type: "string", pattern: "^\\d+\\.\\d+(\\.\\d+)?$" },
  },
} as const;

export const VALIDATION = {
  type: "object",
  properties: {
    rules: {
      type: "array",
      items: {
        type: "object",
        required: ["id", "check_type", "target", "check_config", "severity"],
        properties: {
          id: { type: "string", minLength: 1 },
          check_type: { enum: ["presence", "format", "syntax"] },
          target: {
            type: "string",
            minLength: 1,
            description: "A path in this document, such as metadata.description or elements.intro.example_output.",
          },
          check_config: {
            type: "object",
            description: "presence: nothing. format: {pattern}. syntax: {format: json or yaml}.",
          },
          severity: { enum: ["error", "warning", "info"] },
        },
      },
    },
  },
} as const;

export const EVOLUTION = {
  type: "object",
  properties: {
    stage: { enum: ["draft", "review", "approved", "deprecated"] },
    history: { type: "array" },
  },
} as const;
