/**
 * The install gate: reads what a package says of itself and refuses what must not be started. Runs before anything is
 * spawned, on every start. Archives are not unpacked here.
 */
import { constants } from "node:fs";
import { open, stat } from "node:fs/promises";
import { basename, join } from "node:path";
import { HOST_EXTENSIONS } from "../kernel/host-extension.ts";
import { Refusal } from "../kernel/refusal.ts";
import type { Located } from "./located.ts";
import { checkManifest, type ManifestReading } from "./check-manifest.ts";
import { MAX_MANIFEST_BYTES, writeFinding, type Manifest, type ManifestProfile } from "./manifest.ts";

/** More than this helps nobody and would flood a terminal. */
const MAX_ERRORS_SHOWN = 20;
const MAX_NAME = 214;

export interface ReadManifestOptions {
  readonly located: Pick<Located, "directory" | "manifest">;
  readonly profile: ManifestProfile;
  /** Host extensions offered to this entry. */
  readonly offered: readonly string[];
}

export interface AcceptedManifest {
  readonly manifest: Manifest;
  readonly directory: string;
  readonly warnings: readonly string[];
}

export const readManifest = async (options: ReadManifestOptions): Promise<AcceptedManifest> => {
  const { directory, manifest: made } = options.located;
  const file = join(await checkDirectory(directory), "manifest.json");
  const raw = made ?? parse(await readText(file), file);
  const reading = checkManifest(raw, options.profile);
  if (reading.manifest === null) throw refuseSchema({ bundle: nameIn(raw, directory), file }, reading, options);
  const missing = reading.requiredExtensions.filter((key) => !options.offered.includes(key));
  if (missing.length > 0) throw refuseExtensions(reading.manifest.name, missing, options);
  return { manifest: reading.manifest, directory, warnings: reading.warnings.map(writeFinding) };
};

const refuse = (message: string, next: string, details: Readonly<Record<string, unknown>> = {}): Refusal =>
  new Refusal("install_refused", { message, next, details });

const checkDirectory = async (path: string): Promise<string> => {
  const facts = await stat(path).catch(() => null);
  if (facts === null) {
    throw refuse(
      `There is nothing at ${path}.`,
      "Correct the entry's path; it is relative to the config file's directory.",
    );
  }
  if (facts.isDirectory()) return path;
  throw refuse(`${path} is not a directory.`, "Let the entry's path name a directory that contains manifest.json.");
};

const readText = async (file: string): Promise<string> => {
  // Without O_NONBLOCK a named pipe in the place of the file would hold the start for ever.
  const handle = await open(file, constants.O_RDONLY | constants.O_NONBLOCK).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") {
      throw refuse(`${file} does not exist.`, "Let the entry's path name a directory that contains manifest.json.");
    }
    throw refuse(`${file} cannot be read (${error.code ?? error.message}).`, "Give the host read access to it.");
  });
  try {
    const facts = await handle.stat();
    const { size } = facts;
    if (!facts.isFile()) throw refuse(`${file} is not a regular file.`, "Put the manifest itself there.");
    if (size > MAX_MANIFEST_BYTES) {
      throw refuse(
        `${file} has ${size} bytes; a manifest may have ${MAX_MANIFEST_BYTES}.`,
        "Make the manifest smaller.",
      );
    }
    return await handle.readFile("utf8");
  } catch (error) {
    if (error instanceof Refusal) throw error;
    throw refuse(`${file} cannot be read (${(error as Error).message}).`, "Let it be a regular, readable file.");
  } finally {
    await handle.close();
  }
};

const parse = (text: string, file: string): unknown => {
  try {
    return JSON.parse(text.charCodeAt(0) === 0xfeff ? text.slice(1) : text);
  } catch (error) {
    throw refuse(`${file} is not JSON: ${(error as Error).message}.`, "Correct the syntax of manifest.json.");
  }
};

const offeredText = (offered: readonly string[]): string => (offered.length === 0 ? "(none)" : offered.join(", "));

/** What a manifest that cannot be used calls its bundle, as far as that can be told. */
const nameIn = (raw: unknown, directory: string): string => {
  const name = typeof raw === "object" && raw !== null && "name" in raw ? raw.name : null;
  return typeof name === "string" && name !== "" ? name.slice(0, MAX_NAME) : basename(directory);
};

const refuseSchema = (
  { bundle, file }: { readonly bundle: string; readonly file: string },
  { errors, errorCount }: ManifestReading,
  options: ReadManifestOptions,
): Refusal => {
  const lines = errors.slice(0, MAX_ERRORS_SHOWN).map(writeFinding);
  if (errorCount > lines.length) lines.push(`and ${errorCount - lines.length} more`);
  return refuse(
    `${bundle}: ${file} is not valid: ${lines.join("; ")}. Provided: ${offeredText(options.offered)}. Refusing to install.`,
    options.profile === "strict"
      ? 'Correct the named fields of manifest.json, or set "manifestProfile": "tolerant" if only optional ones are named.'
      : "Correct the named fields of manifest.json.",
    { bundle, reason: "schema-invalid", missing: [], provided: options.offered, errors: lines },
  );
};

const refuseExtensions = (bundle: string, missing: readonly string[], options: ReadManifestOptions): Refusal =>
  refuse(
    `${bundle} requires the host extension ${missing.join(", ")}, which this host does not offer to it. ` +
      `Provided: ${offeredText(options.offered)}. Refusing to install.`,
    howToOffer(bundle, missing),
    { bundle, reason: "capability-unavailable", missing, provided: options.offered, errors: [] },
  );

/** What this host has can be offered; what it has not, the bundle must do without. */
const howToOffer = (bundle: string, missing: readonly string[]): string => {
  const version = `use a version of ${bundle} that declares ${missing.join(", ")} with "required": false`;
  if (!missing.every((key) => HOST_EXTENSIONS.includes(key))) return `${version[0]?.toUpperCase()}${version.slice(1)}.`;
  return (
    `Offer it ${missing.join(", ")}: list it in "hostExtensions" of its entry, with "hostResources": {"enabled": true}; ` +
    `or ${version}.`
  );
};
