/** The host: its rooms joined, its doors opened and closed, and the face that programs and commands see. */
import { configJsonSchema, type Config } from "@bailiwick/contract";
import type { HostInfo } from "../kernel/host-info.ts";
import { isLoopback } from "../kernel/is-loopback.ts";
import type { Principal } from "../kernel/principal.ts";
import { principalName } from "../kernel/principal-name.ts";
import { Refusal } from "../kernel/refusal.ts";
import { subjectOf } from "../kernel/subject.ts";
import { DEFAULT_WORKSPACE } from "../kernel/workspace.ts";
import { createListener, type Listener } from "../transport/create-listener.ts";
import type { ListenerDeps } from "../transport/listener-deps.ts";
import { checkAuth } from "./check-auth.ts";
import { controlAccounts } from "./control-accounts.ts";
import { controlApprovals } from "./control-approvals.ts";
import { controlBundles } from "./control-bundles.ts";
import { controlChat } from "./control-chat.ts";
import { controlEvidence } from "./control-evidence.ts";
import { controlGates } from "./control-gates.ts";
import { controlHostKeys } from "./control-host-keys.ts";
import { controlKeys } from "./control-keys.ts";
import { dialableOrigin } from "./dialable-origin.ts";
import { giveKeys } from "./give-keys.ts";
import type { Host, Listening } from "./host.ts";
import { joinRooms, type Parts } from "./join-rooms.ts";
import type { LoadedConfig } from "./load-config.ts";
import { programCall } from "./program-call.ts";
import { announceHost, withdrawHost } from "./running-host.ts";

export interface CreateHostOptions {
  readonly loaded: LoadedConfig;
  readonly env: NodeJS.ProcessEnv;
  /** Who speaks when no door does: the terminal or a program. */
  readonly door?: "cli" | "program";
  /** In which workspace it speaks; absent: the default one. */
  readonly workspace?: string;
  /** Conversations are not kept on disk unless the configuration says so. */
  readonly inMemory?: boolean;
  /** Bugs and warnings of the host itself; never evidence. */
  readonly report?: (error: unknown) => void;
}

const writeToStderr = (error: unknown): void => {
  process.stderr.write(`bailiwick: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
};

const listenerDeps = (parts: Parts): ListenerDeps => {
  const { path, info, events, workspaces, options } = parts;
  const { http, mcp, files, chp, approvals } = options.loaded.config;
  return {
    identify: path.identify,
    workspaces,
    handleCall: path.handleCall,
    shape: path.shape,
    surfaces: path.surfaces,
    tasks: path.tasks,
    archive: parts.archive,
    approvals: parts.approvals,
    explain: parts.explain,
    descriptors: parts.descriptors,
    policy: parts.policy,
    hostKeys: parts.hostKeys,
    removal: parts.removal,
    environment: parts.environment,
    skills: parts.skills,
    agent: parts.agent,
    roots: parts.roots,
    chp: {
      mount: chp.mount,
      publicDiscovery: chp.publicDiscovery,
      metadata: () => (parts.policy(DEFAULT_WORKSPACE).mode === "audit" ? { policy_mode: "audit" } : {}),
    },
    info,
    keys: giveKeys(parts.keys, (id) => path.identify.factsOf(id)),
    bundles: parts.bundles,
    extensions: parts.extensions,
    events: parts.news,
    oauth: controlAccounts({
      connector: (workspace) => workspaces.room(workspace).bundles.accounts,
      events,
      origin: () => parts.origin,
    }),
    seals: parts.seals,
    noAuth: parts.noAuth,
    tokens: parts.noAuth ? null : parts.tokens,
    limits: {
      maxRequestBytes: mcp.maxRequestBytes,
      maxFileSize: files.maxFileSize,
      sessionIdleSeconds: mcp.sessionIdleSeconds,
      holdSeconds: mcp.holdSeconds,
      approvalWaitSeconds: approvals.waitSeconds,
      get runWaitSeconds() {
        return parts.settings.config.approvals.runWaitSeconds;
      },
      allowedOrigins: mcp.allowedOrigins,
      allowedHosts: http.allowedHosts,
      publicOrigin: http.publicOrigin ?? null,
    },
    health: (caller) => healthOf(parts, info, caller),
    configSchema: configJsonSchema,
    rejected: (source) => events.authRejected(source),
    recordLogin: (type, principal) =>
      events.writeBy(type, "identity", {
        payload: { principal: principalName(principal), name: principal.credentialId },
        subject: subjectOf(principal, "rest"),
      }),
    stateRejected: (principal, check) => events.stateRejected(principal, check),
    report: options.report,
  };
};

/** About the host alone: no bundle's state changes the status word. Whoever asks hears of the bundles of its own workspace. */
const healthOf = (
  { path, log, agent, workspaces }: Parts,
  info: HostInfo,
  caller?: Principal,
): ReturnType<ListenerDeps["health"]> => {
  const bundles = { running: 0, starting: 0, crashed: 0, dead: 0, stopped: 0, refused: 0 };
  const workspace = caller?.workspace ?? DEFAULT_WORKSPACE;
  const kept = workspaces.isOpen(workspace) ? workspaces.room(workspace).bundles.all() : [];
  const names = new Set(kept.map(({ name }) => name));
  for (const { name, status } of path.surfaces.providers(caller)) if (names.has(name)) bundles[status.state]++;
  const evidence = log.writable() ? "ok" : "failed";
  return {
    status: evidence === "ok" ? "ok" : "failed",
    version: info.version,
    uptimeMs: Date.now() - info.startedAt,
    checks: { evidence, storage: evidence, listeners: "ok" },
    model: agent.unconfigured() === null ? "ok" : "unconfigured",
    bundles,
  };
};

const listen = async (
  parts: Parts,
  order: Parameters<Host["listen"]>[0] = {},
): Promise<Listening & { listener: Listener }> => {
  const { config, workDir, file } = parts.options.loaded;
  const host = order.host ?? config.http.host;
  parts.noAuth = order.noAuth ?? false;
  if (parts.noAuth && !isLoopback(host)) throw new Error(`--no-auth works on loopback only, not on ${host}.`);
  const hosts = [host, ...(config.chp.listen === undefined ? [] : [config.chp.listen.host])];
  checkAuth(config, { env: parts.options.env, hosts });
  const listener = createListener(listenerDeps(parts));
  const { origin } = await listener.listen(host, order.port ?? config.http.port);
  const own = await listenChp(listener, config.chp.listen);
  parts.origin = config.http.publicOrigin ?? dialableOrigin(origin);
  parts.isListening = true;
  parts.tokens?.listensAt(dialableOrigin(origin));
  parts.path.resumeWaiting();
  await announceHost(workDir, { pid: process.pid, origin, noAuth: parts.noAuth, configFile: file });
  const at = dialableOrigin(origin);
  return { listener, origin: at, mcpUrl: `${at}/mcp`, chpUrls: [`${at}${config.chp.mount}`, ...own] };
};

const listenChp = async (listener: Listener, where: Config["chp"]["listen"]): Promise<readonly string[]> => {
  if (where === undefined) return [];
  try {
    const { origin } = await listener.listenChp(where.host, where.port);
    return [dialableOrigin(origin)];
  } catch (error) {
    await listener.close();
    throw error;
  }
};

/** Ends all but the listeners. Every thread and process of the host is gone then. */
const closeParts = async (parts: Parts): Promise<void> => {
  await parts.agent.close();
  await parts.workspaces.stop();
  await parts.ground.close();
  parts.endRetention();
  parts.path.close();
  parts.tokens?.close();
  await Promise.all([...parts.uris.values()].map(({ settled }) => settled()));
  await parts.files.close();
  parts.closeArchive();
  await parts.log.close();
  await parts.taskStore.settled();
};

/** Whoever speaks here is the local user, who may enter every workspace that there is. */
const openLocal = async (parts: Parts, workspace: string | undefined): Promise<Principal> => {
  const presented = { kind: "local", ...(workspace === undefined ? {} : { workspace }) } as const;
  const principal = parts.path.identify(presented, "program");
  if (principal !== null) return principal;
  await closeParts(parts);
  throw new Refusal("not_found", {
    message: `There is no workspace ${JSON.stringify((workspace ?? "").slice(0, 80))}.`,
    next: "Leave --workspace out, or make <workDir>/workspaces/<id>/workspace.json first.",
  });
};

export const createHost = async (options: CreateHostOptions): Promise<Host> => {
  const parts = await joinRooms({ ...options, report: options.report ?? writeToStderr });
  const { path, info, keys, workspaces } = parts;
  const { config, workDir } = options.loaded;
  const workspace = options.workspace ?? DEFAULT_WORKSPACE;
  const door = options.door ?? "program";
  const listeners: Listener[] = [];
  const local = await openLocal(parts, options.workspace);
  const own = { kind: "local", workspace } as const;
  let stopped: Promise<void> | null = null;
  const stop = async (): Promise<void> => {
    parts.life.abort(new Error("the host is stopping"));
    await Promise.all(listeners.map((listener) => listener.close()));
    await closeParts(parts);
    await withdrawHost(workDir);
  };

  return {
    info,
    config,
    workDir,
    keys: controlKeys(keys, local.id),
    hostKeys: controlHostKeys(parts.hostKeys, local.id),
    removal: {
      purge: (order) => parts.removal.purge(order, local),
      redact: (order) => parts.removal.redact(order, local),
    },
    approvals: controlApprovals(parts.approvals, local),
    evidence: controlEvidence(parts.archive, local),
    ...controlGates(parts, local),
    ...controlChat(parts.agent, {
      by: { principal: local, presented: own, door },
      waitMs: () => parts.settings.config.approvals.runWaitSeconds * 1_000,
    }),
    policy: async () => parts.policy(workspace),
    explain: (name, args, { as = null } = {}) => parts.explain(programCall(name, args, { door, presented: own }), as),
    bundles: controlBundles(parts.bundles, { by: local.id, workspace }),
    async start() {
      void parts.ground.reap();
      await workspaces.open(workspace);
    },
    async listen(order) {
      const { listener, ...listening } = await listen(parts, order);
      listeners.push(listener);
      return listening;
    },
    async stdio({ provider, ...order }) {
      if (listeners.length === 0) listeners.push(createListener(listenerDeps(parts)));
      parts.path.resumeWaiting();
      await listeners[0]?.stdio({ ...order, workspace, provider: provider ?? null });
    },
    stop: () => (stopped ??= stop()),
    providers: () => path.surfaces.providers(local),
    onProviderChange: (changed) => path.surfaces.onChange((where) => where === workspace && changed()),
    tools: (query, filter) => path.surfaces.of(local, null)?.rows(query, filter) ?? [],
    call: (name, args, call) => path.handleCall(programCall(name, args, { ...call, door, presented: own })),
  };
};
