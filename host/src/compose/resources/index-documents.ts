/** Index documents: `{items:[{id, uri, ...}], total}` of all that a family has, as it is when it is read. */
import { isObject } from "../../kernel/is-object.ts";
import type { ConfigType } from "../configs/config-types.ts";
import type { ListedGenerator } from "../documents/generators-document.ts";
import type { SavedConfig } from "../storage/saved-configs.ts";
import type { StoredVersion } from "../storage/stored-version.ts";
import { mimeTypeOfFormat } from "./mime-type-of-format.ts";
import type { ResourceParts } from "./resource-parts.ts";
import { uriOf } from "./resource-uri.ts";
import { SCHEMAS } from "./schemas.ts";

const indexOf = (items: readonly object[]): object => ({ items, total: items.length });

/** A file that is too large to be read is no resource. */
export const isReadable = ({ data, text, modified }: SavedConfig): boolean =>
  data !== null || text !== "" || modified.getTime() !== 0;

/** What a config calls itself, for lists; null: it does not say. */
export const titleOf = ({ data }: SavedConfig): string | null => {
  const metadata = data?.["metadata"];
  if (!isObject(metadata)) return null;
  const title = metadata["title"] ?? metadata["description"];
  return typeof title === "string" ? title.slice(0, 500).toWellFormed() : null;
};

export const configsIndex = async ({ saved }: ResourceParts, type: ConfigType): Promise<object> => {
  const configs = (await saved.list(type)).filter(isReadable);
  return indexOf(
    configs.map((config) => ({
      id: config.id,
      uri: uriOf({ kind: "config", type, id: config.id }),
      title: titleOf(config),
      modified: config.modified.toISOString(),
      fault: config.fault,
    })),
  );
};

export const schemasIndex = (): object =>
  indexOf([...SCHEMAS].map(([id, { title }]) => ({ id, uri: uriOf({ kind: "schema", id }), title })));

export const contentsIndex = async ({ versions }: ResourceParts): Promise<object> => {
  const items: object[] = [];
  for (const id of await versions.contentIds()) {
    const stored = await versions.versionsOf(id);
    const latest = stored.at(-1);
    // It may have gone meanwhile.
    if (latest === undefined) continue;
    items.push({
      id,
      uri: uriOf({ kind: "content", id }),
      versions_uri: uriOf({ kind: "versions", id }),
      versions: stored.length,
      latest: latest.version_id,
      ...seenOf(latest),
    });
  }
  return indexOf(items);
};

/** Oldest first. */
export const versionsIndex = (id: string, stored: readonly StoredVersion[]): object =>
  indexOf(
    stored.map((version) => ({
      id: version.version_id,
      uri: uriOf({ kind: "version", id, version: version.version_id }),
      ...seenOf(version),
      content_hash: version.content_hash,
      approved: version.approved,
    })),
  );

const seenOf = ({ timestamp, format, size_bytes, generator }: StoredVersion): object => ({
  timestamp,
  format,
  mime_type: mimeTypeOfFormat(format),
  size_bytes,
  generator,
});

export const generatorsIndex = (generators: readonly ListedGenerator[]): object =>
  indexOf(
    generators.map(({ entry, availability }) => ({
      id: entry.type,
      uri: uriOf({ kind: "generator", id: entry.type }),
      version: entry.version,
      description: entry.description,
      source: entry.source,
      status: entry.status,
      availability,
    })),
  );
