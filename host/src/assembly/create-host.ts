/**
 * Joins the rooms into a host. Nothing is decided here: each room is given what it needs of the others, once.
 */
import { configJsonSchema } from "@bailiwick/contract";
import { createBundles, type Bundles } from "../bundles/create-bundles.ts";
import { createCallPath, type CallPath } from "../call/create-call-path.ts";
import type { EvidenceLog } from "../kernel/evidence.ts";
import type { HostInfo } from "../kernel/host-info.ts";
import { openEvidenceLog } from "../storage/open-evidence-log.ts";
import { readHostId } from "../storage/host-identity.ts";
import { openKeyStore } from "../storage/key-store.ts";
import { createListener, type Listener } from "../transport/create-listener.ts";
import type { ListenerDeps } from "../transport/listener-deps.ts";
import { controlBundles, recordBundles } from "./control-bundles.ts";
import { controlKeys, recordKeys, type RecordedKeys } from "./control-keys.ts";
import type { Host } from "./host.ts";
import { isLoopback } from "./is-loopback.ts";
import type { LoadedConfig } from "./load-config.ts";
import { makeWorkDir } from "./make-work-dir.ts";
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

/** The rooms, joined; `noAuth` is set by `listen`. */
interface Parts {
  readonly options: CreateHostOptions;
  readonly info: HostInfo;
  readonly log: EvidenceLog;
  readonly path: CallPath;
  readonly bundles: Bundles;
  readonly keys: RecordedKeys;
  readonly events: HostEvents;
  readonly report: (error: unknown) => void;
  noAuth: boolean;
}

const writeToStderr = (error: unknown): void => {
  process.stderr.write(`bailiwick: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
};

const joinRooms = async (options: CreateHostOptions): Promise<Parts> => {
  const { config, workDir, baseDir } = options.loaded;
  const report = options.report ?? writeToStderr;
  makeWorkDir(workDir);
  const keyStore = openKeyStore(workDir);
  const id = readHostId(workDir, config.host.id);
  const environment = config.host.environment ?? "prod";
  const info = { id, name: config.host.name ?? null, environment, version: HOST_VERSION, startedAt: Date.now() };
  const log = await openEvidenceLog({ dir: workDir, hostId: id, environment, durability: config.evidence.durability });
  const events = createHostEvents(log, id, report);
  const path = createCallPath({
    log,
    findKey: (secret) => keyStore.find(secret),
    noAuth: () => parts.noAuth,
    maxNameLength: config.mcp.maxToolNameLength,
    reportBug: report,
  });
  const bundles = createBundles({
    config,
    baseDir,
    workDir,
    env: options.env,
    hostVersion: HOST_VERSION,
    sink: path.providers,
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
    events,
    report,
    noAuth: false,
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
    info,
    keys: parts.keys,
    bundles: recordBundles(parts.bundles, parts.events),
    noAuth: parts.noAuth,
    limits: {
      maxRequestBytes: mcp.maxRequestBytes,
      sessionIdleSeconds: mcp.sessionIdleSeconds,
      allowedOrigins: mcp.allowedOrigins,
      allowedHosts: http.allowedHosts,
      publicOrigin: http.publicOrigin ?? null,
    },
    health: () => healthOf(path, info, log),
    configSchema: configJsonSchema,
    rejected: (source) => parts.events.authRejected(source),
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
  let listener: Listener | null = null;

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
      listener = opened;
      return { origin: opened.origin, mcpUrl: `${opened.origin}/mcp` };
    },
    async stop() {
      await listener?.close();
      await bundles.stop();
      path.close();
      await log.close();
      if (listener) await withdrawHost(workDir);
    },
    providers: () => path.surfaces.providers(),
    onProviderChange: (changed) => path.surfaces.onChange(changed),
    tools: (query) => path.surfaces.of(local, null)?.rows(query) ?? [],
    call: (name, args, call) => path.handleCall(programCall(name, args, { ...call, door })),
  };
};
