/**
 * Tells one state of a bundle's package from another: over its manifest, and over those of its files that are started.
 */
import { createHash } from "node:crypto";
import { constants } from "node:fs";
import { open } from "node:fs/promises";
import { resolve, sep } from "node:path";
import type { Manifest } from "./manifest.ts";

export interface BundleDigestOptions {
  readonly manifest: Manifest;
  /** Absolute: where the manifest lies. */
  readonly directory: string;
  /** The program and its arguments; what names no file of the package is left out. */
  readonly started: readonly string[];
}

const MAX_READ_BYTES = 16 * 1024 * 1024;

/** `sha256:<hex>`. */
export const bundleDigest = async ({ manifest, directory, started }: BundleDigestOptions): Promise<string> => {
  const named = [manifest.server.entry_point ?? "", ...started].map((each) => resolve(directory, each));
  const own = [...new Set(named)].filter((file) => file.startsWith(directory + sep));
  const parts = await Promise.all(own.map(digestFile));
  const hash = createHash("sha256").update(JSON.stringify(manifest));
  for (const part of parts) hash.update(`\n${part}`);
  return `sha256:${hash.digest("hex")}`;
};

const digestFile = async (file: string): Promise<string> => {
  // Without O_NONBLOCK a named pipe in the place of the file would hold the start for ever.
  const handle = await open(file, constants.O_RDONLY | constants.O_NONBLOCK).catch(() => null);
  if (handle === null) return "none";
  try {
    const facts = await handle.stat();
    if (!facts.isFile() || facts.size > MAX_READ_BYTES) return `${facts.size} ${facts.mtimeMs}`;
    return createHash("sha256")
      .update(await handle.readFile())
      .digest("hex");
  } catch {
    return "unreadable";
  } finally {
    await handle.close();
  }
};
