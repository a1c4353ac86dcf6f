/**
 * What provider name an entry wants, as far as its own words tell: `serverName`, or the name in its manifest.
 */
import { deriveProviderName, type BundleEntry } from "@bailiwick/contract";
import { basename } from "node:path";
import { Refusal } from "../kernel/refusal.ts";
import type { BundlesOptions } from "./bundles-options.ts";
import { entryDirectory } from "./entry-directory.ts";
import type { NameWish } from "./name-entries.ts";
import { readManifest } from "./read-manifest.ts";
import { refuseName } from "./refuse-name.ts";

export const wishName = async (entry: BundleEntry, pointer: string, options: BundlesOptions): Promise<NameWish> => {
  if (entry.kind === "url") return { pointer, wanted: entry.serverName, fallback: entry.serverName, refusal: null };
  if (entry.kind === "name") {
    const derived = deriveProviderName(entry.name);
    const wanted = entry.serverName ?? derived;
    return { pointer, wanted, fallback: "bundle", refusal: refuseName(entry.name) };
  }
  const directory = entryDirectory(entry, options);
  const fallback = deriveProviderName(basename(directory)) ?? "bundle";
  if (entry.serverName !== null) return { pointer, wanted: entry.serverName, fallback, refusal: null };
  try {
    const { manifest } = await readManifest({ path: directory, profile: options.config.manifestProfile, offered: [] });
    const wanted = deriveProviderName(manifest.name);
    return { pointer, wanted, fallback, refusal: wanted === null ? noName(manifest.name, pointer) : null };
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return { pointer, wanted: null, fallback, refusal: error };
  }
};

const noName = (name: string, pointer: string): Refusal =>
  new Refusal("install_refused", {
    message: `No provider name can be made from the manifest's name "${name.slice(0, 80)}".`,
    next: `Set "serverName" on the entry at ${pointer}.`,
  });
