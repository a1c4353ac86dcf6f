/**
 * What provider name an entry wants, as far as its own words tell: `serverName`, the name in its manifest, or the name it is
 * found under.
 */
import { deriveProviderName, findProviderNameFault, type BundleEntry, type PathEntry } from "@bailiwick/contract";
import { basename } from "node:path";
import { Refusal } from "../kernel/refusal.ts";
import type { BundlesOptions } from "./bundles-options.ts";
import { entryDirectory } from "./entry-directory.ts";
import type { NameWish } from "./name-entries.ts";
import { offeredExtensions } from "./offered-extensions.ts";
import { readManifest } from "./read-manifest.ts";
import { refuseArchive } from "./sources/judge-archive.ts";
import { locateDirectory } from "./sources/locate-directory.ts";

export interface WishOptions {
  readonly pointer: string;
  readonly bundles: BundlesOptions;
}

export const wishName = async (entry: BundleEntry, { pointer, bundles }: WishOptions): Promise<NameWish> => {
  if (entry.kind === "url") return { pointer, wanted: entry.serverName, fallback: entry.serverName, refusal: null };
  if (entry.kind === "name") {
    const wanted = entry.serverName ?? deriveProviderName(nameOf(entry.name));
    return { pointer, wanted, fallback: "bundle", refusal: wanted === null ? noName(entry.name, pointer) : null };
  }
  const fallback = deriveProviderName(basename(entryDirectory(entry, bundles))) ?? "bundle";
  if (entry.serverName !== null) return { pointer, wanted: entry.serverName, fallback, refusal: null };
  try {
    const name = await readName(entry, bundles);
    const wanted = deriveProviderName(name);
    return { pointer, wanted, fallback, refusal: wanted === null ? noName(name, pointer) : null };
  } catch (error) {
    const refusal = error instanceof Refusal ? error : notFound(error as Error, pointer);
    return { pointer, wanted: ownName(refusal), fallback, refusal };
  }
};

/** Of an archive nothing is unpacked for its name, and its gate is asked when it starts. */
const readName = async (entry: PathEntry, bundles: BundlesOptions): Promise<string> => {
  const located = await locateDirectory(entry, bundles);
  if (located === null) return readArchiveName(entryDirectory(entry, bundles));
  const offered = offeredExtensions(entry, bundles.config);
  const { manifest } = await readManifest({ located, profile: bundles.config.manifestProfile, offered });
  return manifest.name;
};

const readArchiveName = async (file: string): Promise<string> => {
  // Most hosts have no archive, and need not keep in memory what reads one.
  const { readArchiveManifest } = await import("./sources/read-archive-manifest.ts");
  const manifest = await readArchiveManifest(file).catch((error: Error) => {
    throw refuseArchive(file, `it cannot be read as a ZIP archive: ${error.message}`);
  });
  if (manifest === null) throw refuseArchive(file, "it has no manifest.json with a name and a version");
  return manifest.name;
};

/** One that may not run is listed under the name that it would run with. */
const ownName = ({ details }: Refusal): string | null => {
  const name = typeof details["bundle"] === "string" ? deriveProviderName(details["bundle"]) : null;
  return name !== null && findProviderNameFault(name) === null ? name : null;
};

const notFound = ({ message }: Error, pointer: string): Refusal =>
  new Refusal("install_refused", {
    message: `The package of the entry at ${pointer} cannot be read: ${message}.`,
    next: "Mend what the reason says and start it again.",
  });

/** `npm:@scope/pkg@1.2.3` is called `pkg`. */
const nameOf = (name: string): string => (name.startsWith("npm:") ? name.slice(4).replace(/(?<=.)@[^@/]*$/, "") : name);

const noName = (name: string, pointer: string): Refusal =>
  new Refusal("install_refused", {
    message: `No provider name can be made from the name "${name.slice(0, 80)}".`,
    next: `Set "serverName" on the entry at ${pointer}.`,
  });
