/** What an archive says of itself, without unpacking it: enough to find it by name. Its manifest is judged at the gate. */
import { readFile, stat } from "node:fs/promises";
import { MAX_MANIFEST_BYTES } from "../manifest.ts";
import { isObject } from "../shapes.ts";
import { readBody } from "../legs/read-body.ts";
import { openArchive, type OpenedArchive } from "./open-archive.ts";

export interface ArchiveManifest {
  readonly name: string;
  readonly version: string;
  readonly description: string | null;
  readonly tools: readonly string[];
}

const MAX_ENTRIES = 40_000;

/** Null: there is no manifest in it that has a name and a version. Rejects when it is no archive. */
export const readArchiveManifest = async (file: string): Promise<ArchiveManifest | null> => {
  const archive = await openArchive(file);
  try {
    const text = await findManifest(archive);
    return text === null ? null : readManifestFacts(text);
  } finally {
    await archive.close();
  }
};

const findManifest = async ({ zip, nameOf }: OpenedArchive): Promise<string | null> => {
  if (zip.entryCount > MAX_ENTRIES) return null;
  for await (const entry of zip.eachEntry()) {
    if (nameOf(entry) !== "manifest.json") continue;
    return entry.isEncrypted() ? null : readBody(await zip.openReadStreamPromise(entry), MAX_MANIFEST_BYTES);
  }
  return null;
};

/** The same from a file that was unpacked. */
export const readUnpackedManifest = async (file: string): Promise<ArchiveManifest | null> => {
  const facts = await stat(file).catch(() => null);
  if (facts === null || !facts.isFile() || facts.size > MAX_MANIFEST_BYTES) return null;
  return readManifestFacts(await readFile(file, "utf8"));
};

const readManifestFacts = (text: string): ArchiveManifest | null => {
  let value: unknown = null;
  try {
    value = JSON.parse(text.charCodeAt(0) === 0xfeff ? text.slice(1) : text);
  } catch {
    return null;
  }
  if (!isObject(value)) return null;
  const { name, version, description, tools } = value;
  if (typeof name !== "string" || typeof version !== "string" || name === "" || version === "") return null;
  return {
    name,
    version,
    description: typeof description === "string" ? description : null,
    tools: Array.isArray(tools) ? tools.flatMap((tool) => (isObject(tool) ? [String(tool["name"])] : [])) : [],
  };
};
