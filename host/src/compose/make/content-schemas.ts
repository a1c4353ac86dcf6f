/** What the schemas and guides of the tools that make texts have in common. */
import type { ToolGuide } from "../documents/tool-entry.ts";

export const CONTENT_ID_INPUT = {
  type: "string",
  description: "The id of a saved content config, such as release-notes; list_content lists them",
} as const;

/** Without a type: what is wrong with one is said as invalid_context. */
export const CONTEXT_INPUT = {
  description: "Values for the text: an object, or a string that holds one as JSON. They win over those of the config",
} as const;

const NAMES = { type: "array", items: { type: "string" } } as const;

export const CONTEXT_VARIABLES = { ...NAMES, description: "Names in the context, sorted" } as const;

export const SELECTION_RULE = {
  type: "string",
  description: "The rule of capabilities://generators that chose the generator",
} as const;

export const GENERATED_PROPERTIES = {
  content_id: { type: "string", description: "The id it is stored under" },
  content: { type: "string", description: "The text" },
  generator: { type: "string", description: "The type of the generator that made it" },
  status: {
    type: "string",
    enum: ["generated", "skipped", "regenerated"],
    description: "skipped: the stored text was made of the same config, generator and context, and is given again",
  },
  metadata: {
    type: "object",
    description: "How it was made; a generator may add to it, such as tokens and cost",
    properties: {
      ephemeral_stored: { type: "boolean", description: "It is stored as a version" },
      version_id: { type: "string", description: "Of that version" },
      context_variables: CONTEXT_VARIABLES,
      context_digest: { type: "string", description: "Of the whole context; values are not stored" },
      generator_version: { type: "string", description: "Of the generator when it made the text" },
      selection_rule: SELECTION_RULE,
      reason: { type: "string", description: "already_exists, where it was skipped" },
      from_cache: { type: "boolean", description: "True where it was skipped" },
      fallback: {
        type: "boolean",
        description: "True where the generator could not make it: the stand-in of its config",
      },
      fallback_reason: { type: "string", description: "Why it could not, where fallback is true" },
    },
    required: [
      "ephemeral_stored",
      "version_id",
      "context_variables",
      "context_digest",
      "generator_version",
      "selection_rule",
    ],
  },
} as const;

export const ARGUMENT_ERRORS: ToolGuide["common_errors"] = [
  { code: "invalid_input", message: "An argument is unknown, missing or of another type than the schema says." },
  { code: "invalid_context", message: "The context is no JSON object, or names a file to be read." },
  { code: "invalid_config_id", message: "The id is empty or has characters that ids do not have." },
];

/** What can be said of a saved config that a text is made of. */
export const GENERATION_ERRORS: ToolGuide["common_errors"] = [
  ...ARGUMENT_ERRORS,
  { code: "config_not_found", message: "No content config is saved under this id." },
  { code: "generator_not_found", message: "The config names a generator that there is not." },
  { code: "missing_credential", message: "The generator needs a credential that the host does not have." },
  { code: "generation_failed", message: "A template, a source or the generator itself failed; the message says why." },
  { code: "generation_timeout", message: "The generator took longer than it may." },
  { code: "content_too_large", message: "The text has more bytes than capabilities://server allows." },
  { code: "queue_full", message: "Too many generations wait already; details.retry_after_ms says when to try again." },
];
