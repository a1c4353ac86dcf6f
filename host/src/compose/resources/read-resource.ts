/** Reads one resource of `config://`, `schema://`, `content://` or `generator://`, as it is now. */
import type { BuiltInContents } from "../../kernel/built-in.ts";
import { uriOfType } from "../documents/family.ts";
import { generatorShown } from "../documents/generators-document.ts";
import { FALLBACK } from "../generators/select-generator.ts";
import { SELECTION_STRATEGY } from "../generators/selection-strategy.ts";
import {
  configsIndex,
  contentsIndex,
  generatorsIndex,
  isReadable,
  schemasIndex,
  versionsIndex,
} from "./index-documents.ts";
import { mimeTypeOfFormat } from "./mime-type-of-format.ts";
import { resourceContents, type ReadText } from "./resource-contents.ts";
import type { ResourceParts } from "./resource-parts.ts";
import { uriOf, type ResourceUri, type UriOfKind } from "./resource-uri.ts";
import { SCHEMAS } from "./schemas.ts";

const JSON_TYPE = "application/json";

export const DECISION_TREE_NOTE =
  "Deprecated: read capabilities://generators, which has all generators and these rules.";

/** The text and its type, without the URI. */
type Found = Omit<ReadText, "uri">;

/** Null: it is not there. */
export const readResource = async (parts: ResourceParts, resource: ResourceUri): Promise<BuiltInContents | null> => {
  const found = await find(parts, resource);
  return found === null ? null : resourceContents({ uri: uriOf(resource), ...found });
};

const json = (document: object): Found => ({ mimeType: JSON_TYPE, text: JSON.stringify(document) });

const find = async (parts: ResourceParts, resource: ResourceUri): Promise<Found | null> => {
  switch (resource.kind) {
    case "configs":
      return json(await configsIndex(parts, resource.type));
    case "config": {
      const config = await parts.saved.find(resource.type, resource.id);
      return config === null || !isReadable(config) ? null : { mimeType: JSON_TYPE, text: config.text };
    }
    case "schemas":
      return json(schemasIndex());
    case "schema": {
      const schema = SCHEMAS.get(resource.id);
      return schema === undefined ? null : json(schema);
    }
    case "contents":
      return json(await contentsIndex(parts));
    case "content":
    case "versions":
    case "version":
      return findContent(parts, resource);
    default:
      return findGenerator(parts, resource);
  }
};

const findContent = async (
  { versions }: ResourceParts,
  resource: UriOfKind<"content" | "versions" | "version">,
): Promise<Found | null> => {
  const stored = await versions.versionsOf(resource.id);
  if (resource.kind === "versions") return stored.length === 0 ? null : json(versionsIndex(resource.id, stored));
  const version =
    resource.kind === "content" ? stored.at(-1) : stored.find(({ version_id: id }) => id === resource.version);
  if (version === undefined) return null;
  const text = await versions.readText(version);
  return text === null ? null : { mimeType: mimeTypeOfFormat(version.format), text };
};

const findGenerator = async (
  { generators }: ResourceParts,
  resource: UriOfKind<"generators" | "generator" | "decision-tree">,
): Promise<Found | null> => {
  if (resource.kind === "decision-tree") return { ...json(DECISION_TREE), beside: DEPRECATED };
  const { generators: all } = await generators.look();
  if (resource.kind === "generators") return json(generatorsIndex(all));
  const found = all.find(({ entry }) => entry.type === resource.id);
  return found === undefined ? null : json(generatorShown(found));
};

const DEPRECATED = { description: DECISION_TREE_NOTE, _meta: { deprecated: true } };

const DECISION_TREE = {
  deprecated: true,
  replaced_by: uriOfType("generators"),
  priority: SELECTION_STRATEGY.rules,
  fallback: FALLBACK,
};
