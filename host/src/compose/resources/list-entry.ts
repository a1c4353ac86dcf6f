/** Entries of `resources/list` for what compose has. */
import type { ListedResource } from "../../kernel/provider.ts";
import { rawJson } from "../../kernel/raw-json.ts";
import type { ConfigType } from "../configs/config-types.ts";
import type { GeneratorEntry } from "../generators/generator-entry.ts";
import type { SavedConfig } from "../storage/saved-configs.ts";
import type { StoredVersion } from "../storage/stored-version.ts";
import { titleOf } from "./index-documents.ts";
import { mimeTypeOfFormat } from "./mime-type-of-format.ts";
import { uriOf } from "./resource-uri.ts";

const JSON_TYPE = "application/json";

interface EntryValue {
  readonly uri: string;
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly mimeType?: string;
  readonly size?: number;
  readonly annotations?: object;
  readonly _meta?: object;
}

export const listEntry = (value: EntryValue): ListedResource => ({
  uri: value.uri,
  json: rawJson(JSON.stringify(value)),
  value: { ...value },
});

export const configEntry = (type: ConfigType, config: SavedConfig): ListedResource => {
  const title = titleOf(config);
  return listEntry({
    uri: uriOf({ kind: "config", type, id: config.id }),
    name: `${config.id} (${type} config)`,
    ...(title === null ? {} : { description: title }),
    mimeType: JSON_TYPE,
  });
};

export const contentEntry = (id: string, format: string): ListedResource =>
  listEntry({
    uri: uriOf({ kind: "content", id }),
    name: id,
    description: `The latest version of ${id}; ${uriOf({ kind: "versions", id })} lists all.`,
    mimeType: mimeTypeOfFormat(format),
  });

export const versionEntry = ({
  content_id: id,
  version_id,
  format,
  size_bytes,
  timestamp,
}: StoredVersion): ListedResource =>
  listEntry({
    uri: uriOf({ kind: "version", id, version: version_id }),
    name: `${id} ${version_id}`,
    mimeType: mimeTypeOfFormat(format),
    size: size_bytes,
    annotations: { lastModified: timestamp },
  });

export const generatorEntry = ({ type, description }: GeneratorEntry): ListedResource =>
  listEntry({
    uri: uriOf({ kind: "generator", id: type }),
    name: `${type} (generator)`,
    ...(description === "" ? {} : { description }),
    mimeType: JSON_TYPE,
  });
