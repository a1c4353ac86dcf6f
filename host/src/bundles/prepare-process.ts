/**
 * Everything about a package on this machine that is decided before it is started: the install gate, the sandbox, the
 * program. Starts nothing. Everything is read anew each time, so a corrected manifest or variable takes effect with the
 * next start.
 */
import type { NameEntry, PathEntry } from "@bailiwick/contract";
import { HostError } from "../kernel/host-error.ts";
import { Refusal } from "../kernel/refusal.ts";
import { isProgram } from "./is-program.ts";
import type { Located, LocateOrder } from "./located.ts";
import type { Manifest, ManifestProfile } from "./manifest.ts";
import { readManifest, type AcceptedManifest } from "./read-manifest.ts";
import { resolveCommand, type ResolvedCommand } from "./resolve-command.ts";
import { chooseSandbox } from "./sandbox/choose-sandbox.ts";
import { confinedPlaces, type ConfinedPlaces } from "./sandbox/confined-places.ts";

export interface PrepareProcessOptions {
  readonly name: string;
  readonly locate: (order: LocateOrder) => Promise<Located>;
  /** Values of `user_config` that a person stored; what the entry says wins. */
  readonly stored: () => Readonly<Record<string, unknown>>;
  /** Host extensions that the entry is offered. */
  readonly offered: readonly string[];
  readonly profile: ManifestProfile;
  readonly dataDir: string;
  /** Makes the data directory the entry's own; says where another's data lies now. */
  readonly claimData: () => string | null;
  /** Null: the caller confines nothing. */
  readonly bounds: {
    /** The host's own state, which no confined process sees. */
    readonly workDir: string;
    /** Paths of the entry are relative to it. */
    readonly baseDir: string;
    /** Nor the folders of these. */
    readonly configFiles: readonly string[];
  } | null;
  readonly env: Readonly<Record<string, string | undefined>>;
}

export interface PreparedProcess {
  readonly manifest: Manifest;
  readonly located: Located;
  readonly directory: string;
  readonly command: ResolvedCommand;
  readonly warnings: readonly string[];
  /** Null: it runs without a sandbox. */
  readonly confined: { readonly bwrap: string; readonly places: ConfinedPlaces } | null;
}

/** Rejects with the Refusal of the gate that says no. */
export const prepareProcess = async (
  entry: NameEntry | PathEntry,
  options: PrepareProcessOptions,
  signal: AbortSignal,
): Promise<PreparedProcess> => {
  const { name, env } = options;
  const { manifest, located, warnings } = await passGate(options, signal);
  const sandbox = await chooseSandbox({ name, settings: entry.sandbox, path: env["PATH"] ?? "" });
  const confined = await confine(sandbox.bwrap, entry, { ...options, directory: located.directory });
  const directory = confined?.places.directory ?? located.directory;
  const command = resolveCommand({
    manifest,
    directory,
    provider: name,
    userConfig: { ...options.stored(), ...entry.userConfig },
    platform: process.platform,
    home: confined?.places.dataDir ?? env["HOME"] ?? "/",
    path: entry.env["PATH"] ?? env["PATH"] ?? "",
    pythonPath: env["PYTHONPATH"] ?? null,
    nodePath: process.execPath,
    exists: isProgram,
  });
  // Last, so that what may not start moves nothing.
  const aside = tellMoved(name, options.claimData());
  return { manifest, located, directory, command, warnings: [...warnings, ...sandbox.warnings, ...aside], confined };
};

const tellMoved = (name: string, aside: string | null): readonly string[] =>
  aside === null
    ? []
    : [`the data of the bundle that was called ${name} before is not handed to this one; it is in ${aside}`];

/** What was fetched long ago may be broken: before it is refused the same is fetched once more. */
const passGate = async (
  options: PrepareProcessOptions,
  signal: AbortSignal,
): Promise<AcceptedManifest & { readonly located: Located }> => {
  const { profile, offered } = options;
  const look = async (located: Located): Promise<AcceptedManifest & { readonly located: Located }> => ({
    ...(await readManifest({ located, profile, offered })),
    located,
  });
  const found = await options.locate({ fresh: false, signal });
  try {
    return await look(found);
  } catch (error) {
    if (!found.cached || !(error instanceof Refusal)) throw error;
    const copy = await options.locate({ fresh: "copy", signal }).catch(() => null);
    signal.throwIfAborted();
    if (copy === null) throw error;
    return look(copy);
  }
};

const confine = async (
  bwrap: string | null,
  { sandbox: settings }: NameEntry | PathEntry,
  { name, directory, dataDir, bounds, env }: PrepareProcessOptions & { readonly directory: string },
): Promise<PreparedProcess["confined"]> => {
  if (bwrap === null) return null;
  if (bounds === null) throw new HostError(`the sandbox of ${name} has no bounds`);
  const order = { ...bounds, name, settings, directory, dataDir, env, nodePath: process.execPath };
  return { bwrap, places: await confinedPlaces(order) };
};
