/** What is listed whatever there is: index documents, schemas, the deprecated alias, and the patterns of all URIs. */
import type { Catalogue } from "../../kernel/provider.ts";
import { rawJson } from "../../kernel/raw-json.ts";
import { listEntry } from "./list-entry.ts";
import { DECISION_TREE_NOTE } from "./read-resource.ts";
import { uriOf } from "./resource-uri.ts";
import { SCHEMAS } from "./schemas.ts";

const JSON_TYPE = "application/json";

const indexEntry = (uri: string, name: string, description: string): Catalogue["resources"][number] =>
  listEntry({ uri, name, description, mimeType: JSON_TYPE });

export const INDEX_URIS = [
  uriOf({ kind: "configs", type: "content" }),
  uriOf({ kind: "configs", type: "artifact" }),
  uriOf({ kind: "schemas" }),
  uriOf({ kind: "contents" }),
  uriOf({ kind: "generators" }),
] as const;

const [CONTENT_CONFIGS, ARTIFACT_CONFIGS, ALL_SCHEMAS, CONTENTS, GENERATORS] = INDEX_URIS;

export const STATIC_RESOURCES: Catalogue["resources"] = [
  indexEntry(CONTENT_CONFIGS, "content-configs", "All saved content configs."),
  indexEntry(ARTIFACT_CONFIGS, "artifact-configs", "All saved artifact configs."),
  indexEntry(ALL_SCHEMAS, "schemas", "All schemas."),
  indexEntry(CONTENTS, "contents", "All contents that have a stored version."),
  indexEntry(GENERATORS, "generators-index", "All generators that there are now."),
  ...[...SCHEMAS].map(([id, { title }]) =>
    listEntry({ uri: uriOf({ kind: "schema", id }), name: `${id} (schema)`, title, mimeType: JSON_TYPE }),
  ),
  listEntry({
    uri: uriOf({ kind: "decision-tree" }),
    name: "decision_tree",
    description: DECISION_TREE_NOTE,
    mimeType: JSON_TYPE,
    _meta: { deprecated: true },
  }),
];

export const STATIC_TEMPLATES: Catalogue["templates"] = [
  {
    uriTemplate: "config://content/{content_id}",
    name: "content-config",
    title: "Content config",
    description: "A saved content config, as it was saved; config://content/ lists them.",
    mimeType: JSON_TYPE,
  },
  {
    uriTemplate: "config://artifact/{artifact_id}",
    name: "artifact-config",
    title: "Artifact config",
    description: "A saved artifact config, as it was saved; config://artifact/ lists them.",
    mimeType: JSON_TYPE,
  },
  {
    uriTemplate: "schema://{schema_name}",
    name: "schema",
    title: "Schema",
    description: "A JSON Schema of configs, plug-ins or capability documents; schema:// lists them.",
    mimeType: JSON_TYPE,
  },
  {
    uriTemplate: "content://{content_id}",
    name: "content",
    title: "Content",
    description: "The latest stored text of a content; content:// lists them.",
  },
  {
    uriTemplate: "content://{content_id}/{version_id}",
    name: "content-version",
    title: "Version of a content",
    description: "One stored text of a content; content://{content_id}/versions lists them.",
  },
  {
    uriTemplate: "generator://{generator_type}",
    name: "generator",
    title: "Generator",
    description: "One generator, as capabilities://generators has it; generator:// lists them.",
    mimeType: JSON_TYPE,
  },
].map((template) => ({
  uriTemplate: template.uriTemplate,
  json: rawJson(JSON.stringify(template)),
  value: { ...template },
}));
