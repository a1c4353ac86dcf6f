/**
 * Opens an entry that is a package on this machine: manifest and gate, program and environment, process, handshake. Everything is read anew at each start,
 * so a corrected manifest or variable takes effect with the next one.
 */
import { randomBytes } from "node:crypto";
import type { NameEntry, PathEntry } from "@bailiwick/contract";
import type { ExtensionPort } from "../kernel/host-extension.ts";
import { Refusal } from "../kernel/refusal.ts";
import { bundleDigest } from "./bundle-digest.ts";
import { childEnvironment } from "./child-environment.ts";
import type { Connection, ConnectionEvents, ConnectionLimits } from "./connection.ts";
import type { EraVerdicts } from "./era-verdicts.ts";
import type { Keeper } from "./keeper.ts";
import { connectStdio, ExitedDuringProbe } from "./legs/connect-stdio.ts";
import { KNOWN_LEGACY, type EraMemory } from "./legs/era-memory.ts";
import type { Located, LocateOrder } from "./located.ts";
import type { ManifestProfile } from "./manifest.ts";
import { orAborted } from "./or-aborted.ts";
import type { OutputTail } from "./output-tail.ts";
import type { Redaction } from "./redaction.ts";
import { readManifest, type AcceptedManifest } from "./read-manifest.ts";
import { resolveCommand, type ResolvedCommand } from "./resolve-command.ts";
import { STOPPED, type OpenSession, type Session } from "./session.ts";
import { spawnServer, type RunningServer } from "./spawn-server.ts";
import { isProgram } from "./is-program.ts";

export interface OpenProcessOptions {
  readonly name: string;
  /** The entry with its secrets resolved, which `redaction` knows then; throws the Refusal that names what is unset. */
  readonly entry: () => NameEntry | PathEntry;
  readonly locate: (order: LocateOrder) => Promise<Located>;
  /** Values of `user_config` that a person stored; what the entry says wins. */
  readonly stored: () => Readonly<Record<string, unknown>>;
  readonly port: ExtensionPort;
  readonly profile: ManifestProfile;
  readonly dataDir: string;
  readonly workspace: string;
  readonly limits: ConnectionLimits;
  readonly hostVersion: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly keeper: Keeper;
  readonly tail: OutputTail;
  readonly redaction: Redaction;
  readonly eras: EraVerdicts;
  /** What the manifest says, at each start. */
  readonly onManifest: (facts: { readonly version: string; readonly warnings: readonly string[] }) => void;
}

const MAX_LAST_WORDS = 300;

export const openProcess =
  (options: OpenProcessOptions): OpenSession =>
  async (events, signal) => {
    const { redaction } = options;
    const entry = options.entry();
    redaction.learnNamed(entry.env);
    redaction.learn(entry.allowedEnv.map((name) => options.env[name] ?? ""));
    const { manifest, directory, warnings } = await passGate(options, signal);
    const command = resolveCommand({
      manifest,
      directory,
      provider: options.name,
      userConfig: { ...options.stored(), ...entry.userConfig },
      platform: process.platform,
      home: options.env["HOME"] ?? "/",
      path: entry.env["PATH"] ?? options.env["PATH"] ?? "",
      pythonPath: options.env["PYTHONPATH"] ?? null,
      nodePath: process.execPath,
      exists: isProgram,
    });
    redaction.learn(command.secrets);
    options.onManifest({ version: manifest.version, warnings });
    const digest = await bundleDigest({ manifest, directory, started: [command.command, ...command.args] });
    return connect({ options, entry, command, events, signal, eras: await options.eras.recall(digest) });
  };

/** What was fetched long ago may be broken or outdated: before it is refused it is fetched once more. */
const passGate = async (options: OpenProcessOptions, signal: AbortSignal): Promise<AcceptedManifest> => {
  const { profile, port } = options;
  const look = async (located: Located): Promise<AcceptedManifest> =>
    readManifest({ located, profile, offered: port.offered });
  const found = await options.locate({ fresh: false, signal });
  try {
    return await look(found);
  } catch (error) {
    if (!found.cached || !(error instanceof Refusal)) throw error;
    return look(await options.locate({ fresh: true, signal }));
  }
};

interface Attempt {
  readonly options: OpenProcessOptions;
  readonly entry: NameEntry | PathEntry;
  readonly command: ResolvedCommand;
  readonly events: ConnectionEvents;
  readonly signal: AbortSignal;
  readonly eras: EraMemory;
}

const connect = async (attempt: Attempt): Promise<Session> => {
  const { options, events, signal } = attempt;
  signal.throwIfAborted();
  const server = await spawnServer(describeSpawn(attempt));
  try {
    const { limits, hostVersion, port } = options;
    const { eras } = attempt;
    const dialling = connectStdio(server, { limits, events, signal, hostVersion, eras, port });
    const connection = await orAborted(dialling, signal);
    return { connection, end: (how) => endSession(connection, server, how) };
  } catch (error) {
    await (signal.reason === STOPPED ? server.stop() : server.kill());
    signal.throwIfAborted();
    if (error instanceof ExitedDuringProbe) return connectLegacy(attempt);
    throw explain(error as Error, options.tail);
  }
};

/** That it exits at the question, and serves those who do not ask, shows what it is. */
const connectLegacy = async (attempt: Attempt): Promise<Session> => {
  const { learned } = attempt.eras;
  const session = await connect({ ...attempt, eras: { ...KNOWN_LEGACY, learned } });
  learned(session.connection.era);
  return session;
};

const describeSpawn = ({ options, entry, command }: Attempt): Parameters<typeof spawnServer>[0] => {
  const marker = randomBytes(16).toString("hex");
  const env = childEnvironment({
    host: options.env,
    platform: process.platform,
    manifest: command.env,
    entry: entry.env,
    allowed: entry.allowedEnv,
    workspace: options.workspace,
    dataDir: options.dataDir,
    marker,
  });
  const { dataDir, keeper, tail } = options;
  return { command: command.command, args: command.args, env, marker, dataDir, keeper, tail };
};

const endSession = async (connection: Connection, server: RunningServer, how: "stop" | "crash"): Promise<void> => {
  await connection.close(how === "stop" ? "the bundle was stopped" : "the bundle is being restarted");
  await (how === "stop" ? server.stop() : server.kill());
};

/** What a process writes before it gives up usually says why. */
const explain = (error: Error, tail: OutputTail): Error => {
  const words = tail.lastLine();
  if (words === null) return error;
  const said = words.length > MAX_LAST_WORDS ? `${words.slice(0, MAX_LAST_WORDS)}...` : words;
  return new Error(`${error.message}; it last wrote: ${said}`, { cause: error });
};
