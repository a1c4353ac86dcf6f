/** The package of a `path` entry: a directory as it is, a `.mcpb` file as it was unpacked into the store. */
import type { PathEntry } from "@bailiwick/contract";
import { basename, extname } from "node:path";
import { entryDirectory, type EntryDirectoryOptions } from "../entry-directory.ts";
import type { Located, LocateOrder } from "../located.ts";
import { hashArchive } from "./fetch-archive.ts";
import { fetchOffer, type FetchOfferOptions } from "./fetch-offer.ts";
import { locateDirectory } from "./locate-directory.ts";
import { readArchiveManifest } from "./read-archive-manifest.ts";
import { NO_TRUST } from "./registry.ts";

export interface LocatePathOptions extends FetchOfferOptions, EntryDirectoryOptions {}

export const locatePath = async (
  entry: PathEntry,
  order: LocateOrder,
  options: LocatePathOptions,
): Promise<Located> => {
  const directory = await locateDirectory(entry, options);
  if (directory !== null) return directory;
  const path = entryDirectory(entry, options);
  const base = { manifest: null, origin: "path", ...NO_TRUST };
  const { store, limits } = options;
  const { signal, fresh } = order;
  const digest = await hashArchive(path, { limits, signal });
  const told = await readArchiveManifest(path).catch(() => null);
  const id = told === null ? null : { name: told.name, version: told.version, digest, lock: null };
  if (fresh === false && id !== null && (await store.has(id))) {
    return { directory: store.folderOf(id), digest, cached: true, ...base };
  }
  const name = basename(path, extname(path));
  const offer = { kind: "file", file: path, version: "0", manifest: null, ...NO_TRUST } as const;
  const { id: placed } = await fetchOffer(offer, { ...order, name, before: null }, options);
  return { directory: store.folderOf(placed), digest: placed.digest, cached: false, ...base };
};
