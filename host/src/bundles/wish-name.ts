/**
 * What provider name an entry wants, as far as its own words tell: `serverName`, the name in its manifest, or the name it is
 * found under.
 */
import { deriveProviderName, type BundleEntry } from "@bailiwick/contract";
import { basename } from "node:path";
import { Refusal } from "../kernel/refusal.ts";
import type { BundlesOptions } from "./bundles-options.ts";
import { entryDirectory } from "./entry-directory.ts";
import type { Locate } from "./located.ts";
import type { NameWish } from "./name-entries.ts";
import { offeredExtensions } from "./offered-extensions.ts";
import { readManifest } from "./read-manifest.ts";

export interface WishOptions {
  readonly pointer: string;
  readonly bundles: BundlesOptions;
  readonly locate: Locate;
}

export const wishName = async (entry: BundleEntry, { pointer, bundles, locate }: WishOptions): Promise<NameWish> => {
  if (entry.kind === "url") return { pointer, wanted: entry.serverName, fallback: entry.serverName, refusal: null };
  if (entry.kind === "name") {
    const wanted = entry.serverName ?? deriveProviderName(nameOf(entry.name));
    return { pointer, wanted, fallback: "bundle", refusal: wanted === null ? noName(entry.name, pointer) : null };
  }
  const fallback = deriveProviderName(basename(entryDirectory(entry, bundles))) ?? "bundle";
  if (entry.serverName !== null) return { pointer, wanted: entry.serverName, fallback, refusal: null };
  try {
    const located = await locate(entry, { fresh: false, signal: AbortSignal.timeout(LOCATE_MS) });
    const offered = offeredExtensions(entry, bundles.config);
    const { manifest } = await readManifest({ located, profile: bundles.config.manifestProfile, offered });
    const wanted = deriveProviderName(manifest.name);
    return { pointer, wanted, fallback, refusal: wanted === null ? noName(manifest.name, pointer) : null };
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return { pointer, wanted: null, fallback, refusal: error };
  }
};

const LOCATE_MS = 30_000;

/** `npm:@scope/pkg@1.2.3` is called `pkg`. */
const nameOf = (name: string): string => (name.startsWith("npm:") ? name.slice(4).replace(/(?<=.)@[^@/]*$/, "") : name);

const noName = (name: string, pointer: string): Refusal =>
  new Refusal("install_refused", {
    message: `No provider name can be made from the name "${name.slice(0, 80)}".`,
    next: `Set "serverName" on the entry at ${pointer}.`,
  });
