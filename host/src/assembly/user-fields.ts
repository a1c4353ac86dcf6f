/** What the manifest of a bundle asks for, also of one that was never started: then its package is looked at. */
import { BASH_NAME } from "../bundles/bash/locate-bash.ts";
import type { KeptBundle } from "../bundles/make-bundle.ts";
import type { Manifest, UserConfigField } from "../bundles/manifest.ts";
import { offeredExtensions } from "../bundles/offered-extensions.ts";
import { readManifest } from "../bundles/read-manifest.ts";
import type { WorkspaceRoom } from "./workspace-room.ts";

const LOCATE_MS = 10_000;

/** Null: nobody can tell. */
export const userFields = async (room: WorkspaceRoom, { entry, bundle }: KeptBundle): Promise<UserFields | null> =>
  bundle.facts()?.userConfig ?? fieldsOfEntry(room, entry);

export type UserFields = Readonly<Record<string, UserConfigField>>;

/** Of one that is perhaps not installed. */
export const fieldsOfEntry = async (room: Sources, entry: KeptBundle["entry"]): Promise<UserFields | null> => {
  const manifest = await manifestOf(room, entry);
  return manifest && (manifest.user_config ?? {});
};

/** Names of the variables that its process is started with. Null: nobody can tell. */
export const variablesOfEntry = async (
  room: Sources,
  entry: KeptBundle["entry"],
): Promise<readonly string[] | null> => {
  const manifest = await manifestOf(room, entry);
  return manifest && Object.keys(manifest.server?.mcp_config?.env ?? {});
};

type Sources = Pick<WorkspaceRoom, "sources" | "config">;
type Asking = Partial<Pick<Manifest, "user_config" | "server">>;

const NOTHING: Asking = Object.freeze({});

const manifestOf = async ({ sources, config }: Sources, entry: KeptBundle["entry"]): Promise<Asking | null> => {
  if (entry.kind === "url" || (entry.kind === "name" && entry.name === BASH_NAME)) return NOTHING;
  try {
    const located = await sources.locate(entry, { fresh: false, signal: AbortSignal.timeout(LOCATE_MS) });
    const offered = offeredExtensions(entry, config);
    return (await readManifest({ located, profile: config.manifestProfile, offered })).manifest;
  } catch {
    return null;
  }
};
