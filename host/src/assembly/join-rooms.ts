/** Joins the rooms. Nothing is decided here: each room is given what it needs of the others, once. */
import type { Config } from "@bailiwick/contract";
import { homedir } from "node:os";
import { join } from "node:path";
import { createGround, type Ground } from "../bundles/ground.ts";
import type { CallPath } from "../call/create-call-path.ts";
import type { BundleAdmin } from "../kernel/bundle-admin.ts";
import type { EvidenceLog } from "../kernel/evidence.ts";
import type { FilesOf } from "../kernel/files.ts";
import type { HostInfo } from "../kernel/host-info.ts";
import type { Seals } from "../kernel/seal.ts";
import { skillViewer } from "../kernel/skill-viewer.ts";
import type { TaskStore } from "../kernel/tasks.ts";
import type { WorkspaceEvents } from "../kernel/workspace-event.ts";
import { DEFAULT_WORKSPACE } from "../kernel/workspace.ts";
import { openTokenStore } from "../storage/token-store.ts";
import { openUriOwners, type StoredUriOwners } from "../storage/open-uri-owners.ts";
import type { ListenerDeps } from "../transport/listener-deps.ts";
import { createFiles } from "../workspace/files/create-files.ts";
import { createHostExtensions, type OfferedExtensions } from "../workspace/host-resources/create-host-extensions.ts";
import { createWorkspaces } from "../workspace/workspaces.ts";
import { createFixtures } from "../conformance/create-fixtures.ts";
import { absolutePaths } from "./absolute-paths.ts";
import { createBundleEvidence } from "./bundle-evidence.ts";
import { explainAs } from "./explain-as.ts";
import { followPolicy } from "./follow-policy.ts";
import { keepRetention } from "./keep-retention.ts";
import { recordKeys, type RecordedKeys } from "./control-keys.ts";
import { dialableOrigin } from "./dialable-origin.ts";
import type { LoadedConfig } from "./load-config.ts";
import { createRoomMaker } from "./make-room.ts";
import { createOpenWorkspaces, type OpenWorkspaces } from "./open-workspaces.ts";
import type { OpenedAgent } from "../agent/chat/create-agent.ts";
import { openAgent } from "./open-agent.ts";
import { composeParts } from "./compose-parts.ts";
import { openCallPath } from "./open-call-path.ts";
import { noteTimes } from "./note-times.ts";
import { openModels } from "./open-models.ts";
import { openRoots } from "./open-roots.ts";
import { openStores, type Stores } from "./open-stores.ts";
import type { HostTokens } from "./open-tokens.ts";
import { readServerSkill } from "./read-server-skill.ts";
import type { HostEvents } from "./record-host-events.ts";
import { createEvidenceRemoval } from "./remove-evidence.ts";
import { steerBundles } from "./steer-bundles.ts";
import { steerCapabilities } from "./steer-capabilities.ts";
import { steerSkills } from "./steer-skills.ts";
import { tellChanges } from "./tell-changes.ts";
import { withdrawOf } from "./withdraw-of.ts";
import { createWorkspaceEvents } from "./workspace-events.ts";
import type { Settings, WorkspaceRoom } from "./workspace-room.ts";

export interface JoinOptions {
  readonly loaded: LoadedConfig;
  readonly env: NodeJS.ProcessEnv;
  /** Conversations are not kept on disk unless the configuration says so. */
  readonly inMemory?: boolean;
  readonly report: (error: unknown) => void;
}

const COMPOSE = "compose__";
/** What tells of the tools that are listed. */
const OF_SURFACE = ["server", "tools", "resources", "host", "skills"].map((type) => `capabilities://${type}`);

/** The rooms, joined; what `listen` sets is at the end. */
export interface Parts extends Pick<
  ListenerDeps,
  | "archive"
  | "approvals"
  | "explain"
  | "descriptors"
  | "policy"
  | "hostKeys"
  | "removal"
  | "environment"
  | "skills"
  | "roots"
> {
  readonly options: JoinOptions;
  /** As they are now. */
  readonly settings: Settings;
  readonly agent: OpenedAgent;
  readonly info: HostInfo;
  readonly log: EvidenceLog;
  readonly endRetention: () => void;
  readonly closeArchive: () => void;
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

/** A bug while they are joined ends all that was opened, or a thread would keep the process and the directory's lock. */
export const joinRooms = async (options: JoinOptions): Promise<Parts> => {
  const stores = await openStores(options);
  try {
    return joinOver(stores, options);
  } catch (error) {
    await stores.close();
    throw error;
  }
};

const joinOver = (stores: Stores, options: JoinOptions): Parts => {
  const { config, workDir } = options.loaded;
  const { report, env } = options;
  const { keyStore, seals, info, taskStore, uris, tokens, records, events, inForce, hostKeys } = stores;
  const { id } = info;
  const { log, archive } = records;
  const host: Settings = { config };
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
  const configFile = options.loaded.file ?? join(base.baseDir, "bailiwick.json");
  const times = noteTimes();
  const models = openModels({ config: () => host.config, env });
  const roots = openRoots(host, { workDir, configFile, base });
  const path = openCallPath({
    config,
    stores,
    host,
    found,
    files: files.of,
    ownersOf: (workspace) => ownersOf(workspace).owners,
    roots: roots.of,
    news,
    noAuth: () => parts.noAuth,
    policyChanged: (change) => following.changed(change),
    called: (raw, answer) => times.note(raw, answer),
    open: (workspace) => workspaces.open(workspace),
    report,
  });
  const following = followPolicy({ path, events, inForce, report });
  if (config.chp.fixtures) path.providers.add(createFixtures());
  const extensions = createHostExtensions({
    files: files.of,
    settings: () => host.config.hostResources,
    origin: () => (parts.isListening ? parts.origin : null),
    judge: (bundle, uri) => {
      const { workspace, provider } = bundle;
      const { refusal, suspended } = path.judgeHostResources({ workspace, bundle: provider, uri });
      // Before the event of the use itself, without which nothing is given.
      if (suspended !== null) events.useWouldBeDenied({ bundle, uri }, suspended).catch(report);
      return refusal;
    },
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
      roots,
      requirements: (workspace) => path.requirements(workspace),
      viewerOf: (principal) => skillViewer(principal, path.surfaces),
      system: {
        surfaces: path.surfaces,
        refused: path.refusedOutright,
        bundles: () => parts.bundles,
        delegate: (order, call) => agent.delegate(order, call),
        room: (workspace) => workspaces.room(workspace),
      },
      compose: composeParts({ path, models, times, info, archive, roots, config }),
      inMemory: options.inMemory ?? false,
      skillsListed: (principal) => path.surfaces.of(principal, null)?.skills() ?? "[]",
      readServerSkill: readServerSkill(path.handleCall),
      origin: () => parts.origin,
      hostTaken: () => {
        following.hostTaken(host.config);
        capabilities.taken();
        workspaces.follow();
      },
      taken: (workspace) => {
        found.lookAgain(workspace);
        path.policies.of(workspace);
      },
      report,
    }),
    report,
  });
  const agent = openAgent({
    models,
    path,
    workspaces,
    files: files.of,
    archive,
    events,
    news,
    report,
  });
  const hostRoom = (): WorkspaceRoom => workspaces.room(DEFAULT_WORKSPACE);
  const capabilities = steerCapabilities({
    initial: config.capabilities,
    path,
    events,
    inForce,
    room: hostRoom,
    report,
  });
  following.opened();
  capabilities.opened();
  tellChanges(path, news);
  path.surfaces.onChange((workspace) => {
    // What is listed in the workspace, its tools or what they lack, is not what it was.
    if (workspaces.isOpen(workspace)) for (const uri of OF_SURFACE) workspaces.room(workspace).compose.changed(uri);
  });
  const [{ retention }, purged] = [config.evidence, path.forgetPurged];
  const parts: Parts = {
    options,
    settings: host,
    agent,
    info,
    log,
    archive,
    approvals: path.approvals,
    descriptors: path.descriptors,
    explain: explainAs({
      path,
      keys: () => keyStore.list(),
      foresee: async (workspace, tool, args) =>
        tool.startsWith(COMPOSE) ? workspaces.room(workspace).compose.foresee(tool.slice(COMPOSE.length), args) : null,
    }),
    policy: (workspace) => path.policyReport(workspace),
    hostKeys,
    environment: capabilities,
    skills: steerSkills((workspace) => workspaces.room(workspace).skills.admin),
    roots: ({ workspace }) => roots.of({ workspace, clientRoots: null }),
    removal: createEvidenceRemoval({ hostId: id, log, archive, events, purged, holds: retention.holds }),
    endRetention: keepRetention({ retention, log, purged, report }),
    closeArchive: records.close,
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
    keys: recordKeys({
      store: keyStore,
      events,
      workspaces: found,
      revoked: (key, isLast) => void withdrawOf(path, key, isLast).catch(report),
    }),
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
