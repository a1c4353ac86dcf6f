/**
 * Opens an entry that is a package on this machine: what `prepare-process.ts` decides, then environment, process, handshake.
 */
import { randomBytes } from "node:crypto";
import type { NameEntry, PathEntry } from "@bailiwick/contract";
import type { ExtensionPort } from "../kernel/host-extension.ts";
import { bundleDigest } from "./bundle-digest.ts";
import { childEnvironment, MARKER_VARIABLE } from "./child-environment.ts";
import type { Connection, ConnectionEvents, ConnectionLimits } from "./connection.ts";
import type { EraVerdicts } from "./era-verdicts.ts";
import { findBrander } from "./find-brander.ts";
import type { Keeper } from "./keeper.ts";
import { connectStdio, ExitedDuringProbe } from "./legs/connect-stdio.ts";
import { KNOWN_LEGACY, type EraMemory } from "./legs/era-memory.ts";
import { orAborted } from "./or-aborted.ts";
import type { OutputTail } from "./output-tail.ts";
import { packageFacts, type PackageFacts } from "./package-facts.ts";
import { prepareProcess, type PreparedProcess, type PrepareProcessOptions } from "./prepare-process.ts";
import type { Redaction } from "./redaction.ts";
import { bwrapCommand } from "./sandbox/bwrap-command.ts";
import { STOPPED, type OpenSession, type Session } from "./session.ts";
import { spawnServer, type RunningServer } from "./spawn-server.ts";

export interface OpenProcessOptions extends Omit<PrepareProcessOptions, "offered"> {
  /** The entry with its secrets resolved, which `redaction` knows then; throws the Refusal that names what is unset. */
  readonly entry: () => NameEntry | PathEntry;
  readonly port: ExtensionPort;
  readonly workspace: string;
  readonly limits: ConnectionLimits;
  readonly hostVersion: string;
  readonly keeper: Keeper;
  readonly tail: OutputTail;
  readonly redaction: Redaction;
  readonly eras: EraVerdicts;
  /** What its package says, at each start. */
  readonly onManifest: (facts: PackageFacts) => void;
}

const MAX_LAST_WORDS = 300;

export const openProcess =
  (options: OpenProcessOptions): OpenSession =>
  async (events, signal, fetching) => {
    const { name, redaction } = options;
    const entry = options.entry();
    const locate: typeof options.locate = (order) => fetching((onProgress) => options.locate({ ...order, onProgress }));
    redaction.learnNamed(entry.env);
    redaction.learn(entry.allowedEnv.map((variable) => options.env[variable] ?? ""));
    const prepared = await prepareProcess(entry, { ...options, locate, offered: options.port.offered }, signal);
    const { manifest, located, directory, command } = prepared;
    redaction.learn(command.secrets);
    const sandbox = prepared.confined === null ? "off" : "bwrap";
    const warnings = [...prepared.warnings, ...(sandbox === "off" ? await tellLoose(name) : [])];
    options.onManifest(packageFacts({ provider: name, manifest, located, warnings, sandbox }));
    const digest = await bundleDigest({ manifest, directory, started: [command.command, ...command.args] });
    return connect({ options, entry, prepared, events, signal, eras: await options.eras.recall(digest) });
  };

/** What cannot be branded may get away. */
const tellLoose = async (name: string): Promise<readonly string[]> => {
  const found = await findBrander();
  if (found.ok || found.reason === null) return [];
  return [
    `${found.reason}, so a daemon that ${name} sets loose may outlive it; "sandbox": "bwrap" in its entry prevents that`,
  ];
};

interface Attempt {
  readonly options: OpenProcessOptions;
  readonly entry: NameEntry | PathEntry;
  readonly prepared: PreparedProcess;
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

const describeSpawn = ({ options, entry, prepared }: Attempt): Parameters<typeof spawnServer>[0] => {
  const { confined, command: program } = prepared;
  const { keeper, tail } = options;
  const marker = randomBytes(16).toString("hex");
  const dataDir = confined?.places.dataDir ?? options.dataDir;
  const env = childEnvironment({
    host: options.env,
    platform: process.platform,
    manifest: program.env,
    entry: entry.env,
    allowed: entry.allowedEnv,
    workspace: options.workspace,
    dataDir,
    confined: confined !== null,
    marker,
  });
  const { command, args } = program;
  if (confined === null) return { command, args, env, settings: null, marker, dataDir, keeper, tail };
  const inside = bwrapCommand({ ...confined.places, command, args, env, network: entry.sandbox.network });
  return { command: confined.bwrap, ...inside, env: { [MARKER_VARIABLE]: marker }, marker, dataDir, keeper, tail };
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
