/**
 * Joins the rooms into a host. Nothing is decided here: each room is given what it needs of the others, once.
 */
import { configJsonSchema } from "@bailiwick/contract";
import { createBundles, type Bundles } from "../bundles/create-bundles.ts";
import { createCallPath, type CallPath } from "../call/create-call-path.ts";
import type { EvidenceLog } from "../kernel/evidence.ts";
import { NO_PORT } from "../kernel/host-extension.ts";
import type { HostInfo } from "../kernel/host-info.ts";
import type { Seals } from "../kernel/seal.ts";
import type { TaskStore } from "../kernel/tasks.ts";
import { DEFAULT_WORKSPACE } from "../kernel/workspace.ts";
import { openEvidenceLog } from "../storage/open-evidence-log.ts";
import { readHostId } from "../storage/host-identity.ts";
import { openKeyStore } from "../storage/key-store.ts";
import { openUriOwners, type StoredUriOwners } from "../storage/open-uri-owners.ts";
import { openSeals } from "../storage/open-seals.ts";
import { openTaskStore } from "../storage/task-store.ts";
import { openTokenStore } from "../storage/token-store.ts";
import { createListener, type Listener } from "../transport/create-listener.ts";
import type { ListenerDeps } from "../transport/listener-deps.ts";
import { controlAccounts } from "./control-accounts.ts";
import { controlBundles, recordBundles } from "./control-bundles.ts";
import { controlKeys, recordKeys, type RecordedKeys } from "./control-keys.ts";
import { dialableOrigin } from "./dialable-origin.ts";
import type { Host } from "./host.ts";
import { isLoopback } from "../kernel/is-loopback.ts";
import type { LoadedConfig } from "./load-config.ts";
import { makeWorkDir } from "./make-work-dir.ts";
import { openTokens, type HostTokens } from "./open-tokens.ts";
import { programCall } from "./program-call.ts";
import { resolveSecrets } from "./resolve-secrets.ts";
import { createHostEvents, type HostEvents } from "./record-host-events.ts";
import { announceHost, withdrawHost } from "./running-host.ts";
import { HOST_VERSION } from "./version.ts";

export interface CreateHostOptions {
  readonly loaded: LoadedConfig;
  readonly env: NodeJS.ProcessEnv;
  /** Who speaks when no door does: the terminal or a program. */
  readonly door?: "cli" | "program";
  /** Bugs and warnings of the host itself; never evidence. */
  readonly report?: (error: unknown) => void;
}

/** The rooms, joined; `noAuth` and `origin` are set by `listen`. */
interface Parts {
  readonly options: CreateHostOptions;
  readonly info: HostInfo;
  readonly log: EvidenceLog;
  readonly path: CallPath;
  readonly bundles: Bundles;
  readonly keys: RecordedKeys;
  readonly tokens: HostTokens | null;
  readonly seals: Seals;
  readonly uris: StoredUriOwners;
  readonly taskStore: TaskStore;
  readonly events: HostEvents;
  readonly report: (error: unknown) => void;
  noAuth: boolean;
  /** Where people reach it, or would if it listened. */
  origin: string;
}

const writeToStderr = (error: unknown): void => {
  process.stderr.write(`bailiwick: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
};

/** A task that is under way keeps its call open over a restart. */
const openCallsOf = (tasks: TaskStore): readonly string[] =>
  [...tasks.records()].filter(({ endedAt }) => endedAt === null).map(({ invocation }) => invocation.id);

const joinRooms = async (options: CreateHostOptions): Promise<Parts> => {
  const { config, workDir, baseDir } = options.loaded;
  const report = options.report ?? writeToStderr;
  makeWorkDir(workDir);
  const keyStore = openKeyStore(workDir);
  const seals = openSeals(workDir);
  const id = readHostId(workDir, config.host.id);
  const environment = config.host.environment ?? "prod";
  const info = { id, name: config.host.name ?? null, environment, version: HOST_VERSION, startedAt: Date.now() };
  const taskStore = openTaskStore(workDir, seals);
  const uris = openUriOwners(workDir, report);
  const tokens = await openTokens(config, report);
  // Last of what may fail: its thread would keep the process and the directory's lock.
  const log = await openEvidenceLog({
    dir: workDir,
    hostId: id,
    environment,
    durability: config.evidence.durability,
    keepOpen: openCallsOf(taskStore),
  }).catch((error: unknown) => {
    tokens?.close();
    throw error;
  });
  const events = createHostEvents(log, id, report);
  const path = createCallPath({
    log,
    findKey: (secret) => (tokens?.isToken(secret) ? tokens.find(secret) : keyStore.find(secret)),
    noAuth: () => parts.noAuth,
    maxNameLength: config.mcp.maxToolNameLength,
    owners: uris.owners,
    tasks: taskStore,
    isOpen: (invocationId) => log.kept.has(invocationId),
    reportBug: report,
  });
  const bundles = createBundles({
    workspace: DEFAULT_WORKSPACE,
    extensions: { port: () => NO_PORT },
    storedValues: () => ({}),
    config,
    baseDir,
    workDir,
    env: options.env,
    hostVersion: HOST_VERSION,
    sink: path.providers,
    oauth: { store: openTokenStore(workDir, seals), origin: () => parts.origin },
    resolveSecrets: (entry, pointer) => resolveSecrets(entry, options.env, pointer),
    log: (event) => events.bundleChanged(event),
    report,
  });
  const parts: Parts = {
    options,
    info,
    log,
    path,
    bundles,
    keys: recordKeys(keyStore, events),
    tokens,
    seals,
    uris,
    taskStore,
    events,
    report,
    noAuth: false,
    origin: config.http.publicOrigin ?? dialableOrigin(`http://${config.http.host}:${config.http.port}`),
  };
  return parts;
};

const listenerDeps = (parts: Parts): ListenerDeps => {
  const { path, info, log, options } = parts;
  const { http, mcp } = options.loaded.config;
  return {
    identify: path.identify,
    handleCall: path.handleCall,
    shape: path.shape,
    surfaces: path.surfaces,
    tasks: path.tasks,
    info,
    keys: parts.keys,
    bundles: recordBundles(parts.bundles, parts.events),
    oauth: controlAccounts({
      connector: parts.bundles.accounts,
      events: parts.events,
      origin: () => parts.origin,
    }),
    seals: parts.seals,
    noAuth: parts.noAuth,
    tokens: parts.noAuth ? null : parts.tokens,
    limits: {
      maxRequestBytes: mcp.maxRequestBytes,
      sessionIdleSeconds: mcp.sessionIdleSeconds,
      holdSeconds: mcp.holdSeconds,
      allowedOrigins: mcp.allowedOrigins,
      allowedHosts: http.allowedHosts,
      publicOrigin: http.publicOrigin ?? null,
    },
    health: () => healthOf(path, info, log),
    configSchema: configJsonSchema,
    rejected: (source) => parts.events.authRejected(source),
    stateRejected: (principal, check) => parts.events.stateRejected(principal, check),
    report: parts.report,
  };
};

/** About the host alone: no bundle's state changes the status word. */
const healthOf = (path: CallPath, info: HostInfo, log: EvidenceLog): ReturnType<ListenerDeps["health"]> => {
  const bundles = { running: 0, starting: 0, crashed: 0, dead: 0, stopped: 0, refused: 0 };
  for (const provider of path.surfaces.providers()) bundles[provider.status.state]++;
  const evidence = log.writable() ? "ok" : "failed";
  return {
    status: evidence === "ok" ? "ok" : "failed",
    version: info.version,
    uptimeMs: Date.now() - info.startedAt,
    checks: { evidence, storage: evidence, listeners: "ok" },
    model: "unconfigured",
    bundles,
  };
};

const listen = async (
  parts: Parts,
  order: Parameters<Host["listen"]>[0] = {},
): Promise<Listener & { origin: string }> => {
  const { config, workDir } = parts.options.loaded;
  const host = order.host ?? config.http.host;
  parts.noAuth = order.noAuth ?? false;
  if (parts.noAuth && !isLoopback(host)) throw new Error(`--no-auth works on loopback only, not on ${host}.`);
  const listener = createListener(listenerDeps(parts));
  const { origin } = await listener.listen(host, order.port ?? config.http.port);
  parts.origin = config.http.publicOrigin ?? dialableOrigin(origin);
  parts.tokens?.listensAt(dialableOrigin(origin));
  await announceHost(workDir, {
    pid: process.pid,
    origin,
    noAuth: parts.noAuth,
    configFile: parts.options.loaded.file,
  });
  return Object.assign(listener, { origin });
};

export const createHost = async (options: CreateHostOptions): Promise<Host> => {
  const parts = await joinRooms(options);
  const { path, bundles, log, info, keys, events } = parts;
  const { config, workDir } = options.loaded;
  const local = path.identify({ kind: "local" }, "program")!;
  const door = options.door ?? "program";
  const listeners: Listener[] = [];

  return {
    info,
    config,
    workDir,
    keys: controlKeys(keys, local.id),
    bundles: controlBundles(recordBundles(bundles, events), local.id),
    async start() {
      await bundles.start();
    },
    async listen(order) {
      const opened = await listen(parts, order);
      listeners.push(opened);
      return { origin: opened.origin, mcpUrl: `${opened.origin}/mcp` };
    },
    async stdio({ provider, ...order }) {
      if (listeners.length === 0) listeners.push(createListener(listenerDeps(parts)));
      await listeners[0]?.stdio({ ...order, provider: provider ?? null });
    },
    async stop() {
      await Promise.all(listeners.map((listener) => listener.close()));
      await bundles.stop();
      path.close();
      parts.tokens?.close();
      await parts.uris.settled();
      await log.close();
      await parts.taskStore.settled();
      await withdrawHost(workDir);
    },
    providers: () => path.surfaces.providers(),
    onProviderChange: (changed) => path.surfaces.onChange(changed),
    tools: (query) => path.surfaces.of(local, null)?.rows(query) ?? [],
    call: (name, args, call) => path.handleCall(programCall(name, args, { ...call, door })),
  };
};
