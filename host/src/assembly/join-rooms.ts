/** Joins the rooms. Nothing is decided here: each room is given what it needs of the others, once. */
import type { Config } from "@bailiwick/contract";
import { homedir } from "node:os";
import { join } from "node:path";
import { createGround, type Ground } from "../bundles/ground.ts";
import { createCallPath, type CallPath } from "../call/create-call-path.ts";
import type { BundleAdmin } from "../kernel/bundle-admin.ts";
import type { EvidenceLog } from "../kernel/evidence.ts";
import type { FilesOf } from "../kernel/files.ts";
import type { HostInfo } from "../kernel/host-info.ts";
import type { Seals } from "../kernel/seal.ts";
import type { TaskStore } from "../kernel/tasks.ts";
import type { WorkspaceEvents } from "../kernel/workspace-event.ts";
import { DEFAULT_WORKSPACE } from "../kernel/workspace.ts";
import { openEvidenceLog } from "../storage/open-evidence-log.ts";
import { readHostId } from "../storage/host-identity.ts";
import { openKeyStore } from "../storage/key-store.ts";
import { openSeals } from "../storage/open-seals.ts";
import { openTaskStore } from "../storage/task-store.ts";
import { openTokenStore } from "../storage/token-store.ts";
import { openUriOwners, type StoredUriOwners } from "../storage/open-uri-owners.ts";
import { createFiles } from "../workspace/files/create-files.ts";
import { createHostExtensions, type OfferedExtensions } from "../workspace/host-resources/create-host-extensions.ts";
import { createWorkspaces } from "../workspace/workspaces.ts";
import { absolutePaths } from "./absolute-paths.ts";
import { createBundleEvidence } from "./bundle-evidence.ts";
import { recordKeys, type RecordedKeys } from "./control-keys.ts";
import { dialableOrigin } from "./dialable-origin.ts";
import type { LoadedConfig } from "./load-config.ts";
import { createRoomMaker } from "./make-room.ts";
import { makeWorkDir } from "./make-work-dir.ts";
import { createOpenWorkspaces, type OpenWorkspaces } from "./open-workspaces.ts";
import { openTokens, type HostTokens } from "./open-tokens.ts";
import { createHostEvents, type HostEvents } from "./record-host-events.ts";
import { steerBundles } from "./steer-bundles.ts";
import { HOST_VERSION } from "./version.ts";
import { createWorkspaceEvents } from "./workspace-events.ts";
import type { Settings } from "./workspace-room.ts";

export interface JoinOptions {
  readonly loaded: LoadedConfig;
  readonly env: NodeJS.ProcessEnv;
  readonly report: (error: unknown) => void;
}

/** The rooms, joined; what `listen` sets is at the end. */
export interface Parts {
  readonly options: JoinOptions;
  readonly info: HostInfo;
  readonly log: EvidenceLog;
  readonly path: CallPath;
  readonly workspaces: OpenWorkspaces;
  readonly ground: Ground;
  readonly files: { readonly of: FilesOf; close(): Promise<void> };
  readonly extensions: OfferedExtensions;
  readonly bundles: BundleAdmin;
  readonly keys: RecordedKeys;
  readonly tokens: HostTokens | null;
  readonly seals: Seals;
  readonly uris: Map<string, StoredUriOwners>;
  readonly taskStore: TaskStore;
  readonly events: HostEvents;
  readonly news: WorkspaceEvents;
  /** Aborted when the host stops: ends what is being installed. */
  readonly life: AbortController;
  noAuth: boolean;
  /** Where people reach it, or would if it listened. */
  origin: string;
  isListening: boolean;
}

/** A task that is under way keeps its call open over a restart. */
const openCallsOf = (tasks: TaskStore): readonly string[] =>
  [...tasks.records()].filter(({ endedAt }) => endedAt === null).map(({ invocation }) => invocation.id);

export const joinRooms = async (options: JoinOptions): Promise<Parts> => {
  const { config, workDir } = options.loaded;
  const { report, env } = options;
  makeWorkDir(workDir);
  const host: Settings = { config };
  const keyStore = openKeyStore(workDir);
  const seals = openSeals(workDir);
  const id = readHostId(workDir, config.host.id);
  const environment = config.host.environment ?? "prod";
  const info = { id, name: config.host.name ?? null, environment, version: HOST_VERSION, startedAt: Date.now() };
  const taskStore = openTaskStore(workDir, seals);
  const uris = new Map([[DEFAULT_WORKSPACE, openUriOwners(workDir, report)]]);
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
  const news = createWorkspaceEvents(report);
  const base = { baseDir: options.loaded.baseDir, home: env["HOME"] ?? homedir() };
  const shared = (): Config => absolutePaths(host.config, base);
  const found = createWorkspaces({ workDir, host: shared });
  const files = createFiles({ workDir, limits: config.files });
  const ownersOf = (workspace: string): StoredUriOwners => {
    const stored = uris.get(workspace) ?? openUriOwners(join(workDir, "workspaces", workspace), report);
    uris.set(workspace, stored);
    return stored;
  };
  const path = createCallPath({
    log,
    findKey: (secret) => (tokens?.isToken(secret) ? tokens.find(secret) : keyStore.find(secret)),
    noAuth: () => parts.noAuth,
    maxNameLength: config.mcp.maxToolNameLength,
    isMember: found.isMember,
    ownersOf: (workspace) => ownersOf(workspace).owners,
    tasks: taskStore,
    isOpen: (invocationId) => log.kept.has(invocationId),
    spill: { files: files.of, maxResultBytes: config.mcp.maxResultBytes },
    reportBug: report,
  });
  const extensions = createHostExtensions({
    files: files.of,
    settings: () => host.config.hostResources,
    origin: () => (parts.isListening ? parts.origin : null),
    record: (use) => events.extensionUsed(use),
    report,
  });
  const ground = createGround({
    workDir,
    env,
    warn: (message) => events.bundleChanged(DEFAULT_WORKSPACE, { type: "bundle.keeper", name: "", message }),
  });
  const store = openTokenStore(workDir, seals);
  const life = new AbortController();
  const workspaces = createOpenWorkspaces({
    make: createRoomMaker({
      loaded: options.loaded,
      env,
      host,
      shared,
      ground,
      files: files.of,
      extensions,
      tokens: store,
      events,
      news,
      workspaces: found,
      sinkOf: (workspace) => path.providersOf(workspace),
      origin: () => parts.origin,
      hostTaken: () => workspaces.follow(),
      report,
    }),
    report,
  });
  /** How many changes there were in one workspace is nobody's business in another. */
  const versions = new Map<string, number>();
  path.surfaces.onChange((workspace) => {
    const version = (versions.get(workspace) ?? 0) + 1;
    versions.set(workspace, version);
    news.publish(workspace, { type: "surface.changed", data: { version } });
  });
  const parts: Parts = {
    options,
    info,
    log,
    path,
    workspaces,
    ground,
    files,
    extensions,
    bundles: steerBundles({
      room: (workspace) => workspaces.room(workspace),
      evidence: createBundleEvidence(events),
      tokens: store,
      signal: life.signal,
      publish: (workspace, event) => news.publish(workspace, event),
    }),
    keys: recordKeys({ store: keyStore, events, workspaces: found }),
    tokens,
    seals,
    uris,
    taskStore,
    events,
    news,
    life,
    noAuth: false,
    origin: config.http.publicOrigin ?? dialableOrigin(`http://${config.http.host}:${config.http.port}`),
    isListening: false,
  };
  return parts;
};
