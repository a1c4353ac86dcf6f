/**
 * The first few of each kind of resource, as they are now: what examples are taken from while what was last seen of all is
 * old. Nothing else is looked at, however much there is.
 */
import type { ConfigType } from "../configs/config-types.ts";
import type { ComposeResources } from "../documents/compose-families.ts";
import { isReadable } from "./index-documents.ts";
import type { ResourceParts } from "./resource-parts.ts";
import { SCHEMAS } from "./schemas.ts";

const FEW = 2;
/** A folder may hold other things than configs. */
const MOST_TRIED = 20;

export const firstThere = async (parts: ResourceParts): Promise<ComposeResources> => {
  const [contentConfigs, artifactConfigs, contents, { generators }] = await Promise.all([
    firstConfigs(parts, "content"),
    firstConfigs(parts, "artifact"),
    firstContents(parts),
    parts.generators.look(),
  ]);
  return {
    contentConfigs,
    artifactConfigs,
    schemas: [...SCHEMAS.keys()],
    contents,
    generators: generators.map(({ entry }) => entry.type),
  };
};

const firstConfigs = async ({ saved }: ResourceParts, type: ConfigType): Promise<readonly string[]> => {
  const found: string[] = [];
  for (const id of (await saved.ids(type)).slice(0, MOST_TRIED)) {
    const config = await saved.find(type, id);
    if (config !== null && isReadable(config)) found.push(id);
    if (found.length === FEW) break;
  }
  return found;
};

const firstContents = async ({ versions }: ResourceParts): Promise<ComposeResources["contents"]> => {
  const found = await Promise.all(
    (await versions.firstIds(FEW)).map(async (id) => ({ id, latest: (await versions.versionsOf(id)).at(-1) })),
  );
  // One may have gone meanwhile.
  return found.flatMap(({ id, latest }) => (latest === undefined ? [] : [{ id, version: latest.version_id }]));
};
