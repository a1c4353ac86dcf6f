/** The fields of a bundle's `user_config`, also of one that was never started: then its package is looked at. */
import { BASH_NAME } from "../bundles/bash/locate-bash.ts";
import type { KeptBundle } from "../bundles/make-bundle.ts";
import type { UserConfigField } from "../bundles/manifest.ts";
import { offeredExtensions } from "../bundles/offered-extensions.ts";
import { readManifest } from "../bundles/read-manifest.ts";
import type { WorkspaceRoom } from "./workspace-room.ts";

const LOCATE_MS = 10_000;

/** Null: nobody can tell. */
export const userFields = async (room: WorkspaceRoom, { entry, bundle }: KeptBundle): Promise<UserFields | null> =>
  bundle.facts()?.userConfig ?? fieldsOfEntry(room, entry);

export type UserFields = Readonly<Record<string, UserConfigField>>;

/** Of one that is perhaps not installed. */
export const fieldsOfEntry = async (
  { sources, config }: Pick<WorkspaceRoom, "sources" | "config">,
  entry: KeptBundle["entry"],
): Promise<UserFields | null> => {
  if (entry.kind === "url" || (entry.kind === "name" && entry.name === BASH_NAME)) return {};
  try {
    const located = await sources.locate(entry, { fresh: false, signal: AbortSignal.timeout(LOCATE_MS) });
    const offered = offeredExtensions(entry, config);
    return (await readManifest({ located, profile: config.manifestProfile, offered })).manifest.user_config ?? {};
  } catch {
    return null;
  }
};
