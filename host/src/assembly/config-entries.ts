/** Entries of bundles as the host itself writes them into a configuration file and takes them out again. */
import type { BundleEntry } from "@bailiwick/contract";
import { Refusal } from "../kernel/refusal.ts";
import type { WorkspaceRoom } from "./workspace-room.ts";

export type RawEntry = Readonly<Record<string, unknown>>;

/** In force with that. Rejects with a Refusal, and then nothing was written. */
export const addEntry = async (room: WorkspaceRoom, raw: RawEntry, entry: BundleEntry): Promise<void> => {
  await edit(room, (bundles) => [...bundles, raw]);
  room.adopt((config) => ({ ...config, bundles: [...config.bundles, entry] }));
};

/** Of several that say the same the one that stands where this one does. */
export const removeEntry = async (room: WorkspaceRoom, entry: BundleEntry): Promise<void> => {
  const before = room.config.bundles.slice(0, room.config.bundles.indexOf(entry));
  const nth = before.filter((each) => isSame(sourceOf(each), entry)).length;
  let seen = 0;
  await edit(room, (bundles) => bundles.filter((raw) => !isSame(raw, entry) || seen++ !== nth));
  room.adopt((config) => ({ ...config, bundles: config.bundles.filter((each) => each !== entry) }));
};

const edit = async ({ file }: WorkspaceRoom, change: (bundles: readonly unknown[]) => unknown[]): Promise<void> => {
  try {
    await file.edit((value) => {
      const bundles = value["bundles"];
      value["bundles"] = change(Array.isArray(bundles) ? bundles : []);
    });
  } catch (error) {
    if (error instanceof Refusal) throw error;
    throw new Refusal("install_refused", {
      message: `${file.file} could not be written: ${(error as Error).message}. Nothing was changed.`,
      next: "Give the host write access to it and its folder, and try again.",
    });
  }
};

const sourceOf = (entry: BundleEntry): RawEntry => {
  const { serverName } = entry;
  if (entry.kind === "url") return { url: entry.url, serverName };
  return entry.kind === "path" ? { path: entry.path, serverName } : { name: entry.name, serverName };
};

const isSame = (raw: unknown, entry: BundleEntry): boolean => {
  if (typeof raw !== "object" || raw === null) return false;
  const { name, path, url, serverName } = raw as RawEntry;
  const own = entry.kind === "url" ? entry.url : entry.kind === "path" ? entry.path : entry.name;
  return own === { name, path, url }[entry.kind] && (serverName ?? null) === (entry.serverName || null);
};
