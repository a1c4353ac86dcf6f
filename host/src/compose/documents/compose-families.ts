/** The five resource families of the compose provider. Examples are what is there now: an id that nobody has is none. */
import { CAPABILITY_TYPES } from "./family.ts";
import type { ResourceFamily } from "./resource-family.ts";

/** Ids that can be read now, by this reader. */
export interface ComposeResources {
  readonly contentConfigs: readonly string[];
  readonly artifactConfigs: readonly string[];
  readonly schemas: readonly string[];
  /** With their latest version. */
  readonly contents: readonly { readonly id: string; readonly version: string }[];
  readonly generators: readonly string[];
}

/** Of each kind; the index documents have them all. */
const MOST = 2;
const JSON_TYPE = "application/json";

const parameter = (description: string, values?: readonly string[]): ResourceFamily["parameters"][string] => ({
  type: "string",
  description,
  ...(values === undefined ? {} : { enum: values }),
});

const uris = (prefix: string, ids: readonly string[]): readonly string[] =>
  ids.slice(0, MOST).map((id) => `${prefix}${id}`);

export const composeFamilies = (there: ComposeResources): readonly ResourceFamily[] => [
  {
    name: "config",
    patterns: ["config://artifact/{artifact_id}", "config://content/{content_id}"],
    mimeType: JSON_TYPE,
    description: "Saved configs, as they were saved. config://content/ and config://artifact/ list them.",
    parameters: {
      artifact_id: parameter("The id of a saved artifact config."),
      content_id: parameter("The id of a saved content config."),
    },
    examples: [
      ...uris("config://artifact/", there.artifactConfigs),
      ...uris("config://content/", there.contentConfigs),
    ],
  },
  {
    name: "schema",
    patterns: ["schema://{schema_name}"],
    mimeType: JSON_TYPE,
    description: "JSON Schemas of configs, plug-ins and these documents. schema:// lists them.",
    parameters: { schema_name: parameter("The name of a schema.", there.schemas) },
    examples: uris("schema://", there.schemas),
  },
  contentFamily(there.contents),
  {
    name: "generator",
    patterns: ["generator://{generator_type}"],
    mimeType: JSON_TYPE,
    description: "One generator, as capabilities://generators has it. generator:// lists them.",
    // Without an enum: plug-ins come and go, and this document is kept for as long as the surface is the same.
    parameters: { generator_type: parameter("The type of a generator, a key of capabilities://generators.") },
    examples: uris("generator://", there.generators),
  },
  {
    name: "capabilities",
    patterns: ["capabilities://{capability_type}", "capabilities://tools/{provider}"],
    mimeType: JSON_TYPE,
    description: "What this server can do, for those who know nothing of it. capabilities:// is the overview.",
    parameters: {
      capability_type: parameter(
        "What to ask about.",
        CAPABILITY_TYPES.map(({ type }) => type),
      ),
      provider: parameter("A provider whose tools are meant; each tool names its own."),
    },
    examples: uris(
      "capabilities://",
      CAPABILITY_TYPES.map(({ type }) => type),
    ),
  },
];

const contentFamily = (contents: ComposeResources["contents"]): ResourceFamily => ({
  name: "content",
  patterns: ["content://{content_id}", "content://{content_id}/{version_id}"],
  // Of each text its own; this is the one of those that say nothing.
  mimeType: "text/plain",
  description:
    "Generated texts: the latest version, or one of them. content:// and content://{content_id}/versions list them.",
  parameters: {
    content_id: parameter("The id of the content config that it was generated from."),
    version_id: parameter("A version, as content://{content_id}/versions lists it."),
  },
  examples: contents.slice(0, MOST).flatMap(({ id, version }) => [`content://${id}`, `content://${id}/${version}`]),
});
