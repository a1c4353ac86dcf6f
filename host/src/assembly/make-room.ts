/** Makes the room of a workspace: its providers, its bundles and the file behind them. The file of the default one is the host's. */
import type { Config } from "@bailiwick/contract";
import { homedir } from "node:os";
import { join } from "node:path";
import { createBundles } from "../bundles/create-bundles.ts";
import { entrySource, hashSource } from "../bundles/entry-source.ts";
import type { Ground } from "../bundles/ground.ts";
import type { Sources } from "../bundles/sources/create-sources.ts";
import { openSources } from "../bundles/sources/open-sources.ts";
import { openStoppedByPerson } from "../bundles/stopped-by-person.ts";
import type { CallPath } from "../call/create-call-path.ts";
import type { FilesOf } from "../kernel/files.ts";
import type { HostExtensions } from "../kernel/host-extension.ts";
import type { ProviderSink } from "../kernel/provider.ts";
import { rawJson, type RawJson } from "../kernel/raw-json.ts";
import type { RootList } from "../kernel/roots.ts";
import type { TokenStore } from "../kernel/token-store.ts";
import type { WorkspaceEvents } from "../kernel/workspace-event.ts";
import { DEFAULT_WORKSPACE } from "../kernel/workspace.ts";
import { createFilesProvider } from "../workspace/files/files-provider.ts";
import { ConfigFile } from "./config-file.ts";
import type { OpenedRoots } from "./open-roots.ts";
import { prefixTokens } from "./prefix-tokens.ts";
import type { HostEvents } from "./record-host-events.ts";
import { resolveSecrets } from "./resolve-secrets.ts";
import { runningNames } from "./running-names.ts";
import { openRoomConversations } from "./open-room-conversations.ts";
import type { ComposeParts } from "./compose-parts.ts";
import { serveCompose } from "./serve-compose.ts";
import { serveSkills, type SkillServing } from "./serve-skills.ts";
import { serveSystemTools, type SystemParts } from "./serve-system-tools.ts";
import { hostFile, settingsOrigin, type OriginOptions } from "./settings-origin.ts";
import { readValues } from "./stored-values.ts";
import { toolLimit } from "./tool-limit.ts";
import { HOST_VERSION } from "./version.ts";
import { WorkspaceRoom } from "./workspace-room.ts";

export interface RoomMakerOptions extends OriginOptions {
  readonly env: NodeJS.ProcessEnv;
  readonly ground: Ground;
  readonly files: FilesOf;
  readonly extensions: HostExtensions;
  readonly tokens: TokenStore;
  readonly events: HostEvents;
  readonly news: WorkspaceEvents;
  readonly sinkOf: (workspace: string) => ProviderSink;
  readonly roots: OpenedRoots;
  /** Of every tool of a workspace, as the gate sees it. */
  readonly requirements: CallPath["requirements"];
  readonly viewerOf: SkillServing["viewerOf"];
  readonly skillsListed: SkillServing["listed"];
  readonly readServerSkill: SkillServing["readServerSkill"];
  readonly system: SystemParts;
  readonly compose: ComposeParts;
  /** Where conversations are kept if the configuration does not say. */
  readonly inMemory: boolean;
  readonly origin: () => string;
  /** Hears of a new configuration of the host, which is in the others' too. */
  readonly hostTaken: () => void;
  /** The same of one of the others. */
  readonly taken: (workspace: string) => void;
  readonly report: (error: unknown) => void;
}

export const createRoomMaker = (options: RoomMakerOptions): ((workspace: string) => WorkspaceRoom) => {
  const { loaded, env, ground, files, extensions, tokens, events, news, report } = options;
  return (workspace) => {
    const { file, known, baseDir, settings, parse } = settingsOrigin(workspace, options);
    const sink = options.sinkOf(workspace);
    const configFiles = [hostFile(loaded), file].filter((each) => each !== null);
    const home = join(loaded.workDir, "workspaces", workspace);
    const stopped = openStoppedByPerson(join(home, "stopped.json"), report);
    const sourcesOf = lastOf((config: Config) =>
      openSources({
        workDir: loaded.workDir,
        workspace,
        baseDir,
        env,
        registries: config.registries,
        rules: config,
        nodePath: process.execPath,
        profile: config.manifestProfile,
        hostResources: config.hostResources,
        report,
      }),
    );
    const sources = (): Sources => sourcesOf(settings.config);
    const bundles = createBundles({
      workspace,
      ground,
      locate: (entry, order) => sources().locate(entry, order),
      stopped,
      extensions,
      storedValues: (provider, source) => readValues({ tokens, workspace, provider, source }),
      get config() {
        return settings.config;
      },
      baseDir,
      configFiles,
      workDir: loaded.workDir,
      env,
      hostVersion: HOST_VERSION,
      sink,
      oauth: { workspace, store: tokensOf(workspace, tokens), origin: options.origin },
      isPackage: (name) => skills.packages.has(name),
      hostRoots: () => announcedRoots(settings.config, () => options.roots.of({ workspace, clientRoots: null })),
      resolveSecrets: (entry, pointer) => resolveSecrets(entry, env, pointer),
      log: (event) => {
        events.bundleChanged(workspace, event);
        if (event.data !== undefined) news.publish(workspace, { type: event.type, data: event.data });
      },
      report,
    });
    sink.add(createFilesProvider(files(workspace), HOST_VERSION));
    const skills = serveSkills({
      workspace,
      home,
      baseDir,
      workDir: loaded.workDir,
      configFiles,
      env,
      settings,
      ground,
      sink,
      isBundle: (name) => bundles.all().some((bundle) => bundle.name === name),
      roots: () => options.roots.of({ workspace, clientRoots: null }),
      believed: () => options.roots.believed(workspace),
      requirements: () => options.requirements(workspace),
      viewerOf: options.viewerOf,
      onDescribed: () => compose.changed("capabilities://skills"),
      running: () => runningNames(bundles.all()),
      listed: options.skillsListed,
      readServerSkill: options.readServerSkill,
      publish: (event) => news.publish(workspace, event),
      onEvent: async (type, data) =>
        void (await events.write(type.replace(".", "_"), "lifecycle", { workspace, ...data })),
      report,
    });
    sink.add(
      serveSystemTools({
        ...options.system,
        settings,
        skillDir: join(home, "skills"),
        book: skills.book,
        skillsChanged: () => skills.changed(),
      }),
    );
    const compose = serveCompose({
      ...options.compose,
      times: options.compose.timesOf(workspace),
      workspace,
      home,
      baseDir,
      workDir: loaded.workDir,
      configFiles,
      env,
      settings,
      ground,
      sink,
      roots: () => options.roots.of({ workspace, clientRoots: null }),
      limitOf: (tool) => toolLimit(tool, bundles.all()),
      isSkillPackage: (name) => skills.packages.has(name),
      skills: (reader) => skills.document(reader),
      record: async (type, data) => void (await events.write(type, "lifecycle", { workspace, ...data })),
      report,
    });
    const tell: WorkspaceRoom["tell"] = (event) => {
      events.write(event.type.replace(".", "_"), "lifecycle", { workspace, ...event.data }).catch(report);
      news.publish(workspace, event);
    };
    const dataDir = join(home, "data");
    return new WorkspaceRoom({
      id: workspace,
      bundles,
      sources,
      file: new ConfigFile(file, known),
      settings,
      dataDir,
      parse,
      tell,
      record: async (type, data) => void (await events.write(type, "lifecycle", { workspace, ...data })),
      sourceOf: (entry) => hashSource(entrySource(entry, { baseDir, env })),
      taken: () => {
        // What is switched on may be another.
        sink.changed("nb");
        if (workspace === DEFAULT_WORKSPACE) options.hostTaken();
        else options.taken(workspace);
      },
      conversations: openRoomConversations({
        workspace,
        home,
        store: settings.config.store,
        inMemory: options.inMemory,
        base: { baseDir: loaded.baseDir, home: env["HOME"] ?? homedir() },
      }),
      skills,
      compose,
    });
  };
};

/**
 * Servers that know roots take those for all that they may use, whatever their own entry says. So what they are told outside
 * of any call is what an operator wrote down, and not the folder that each workspace has anyway.
 */
const announcedRoots = ({ capabilities }: Config, roots: () => RootList): RawJson =>
  capabilities.roots.list === undefined ? NO_ROOTS : roots().listing;

const NO_ROOTS = rawJson('{"roots":[]}');

/** What was made of the same thing before is made once. */
const lastOf = <In, Out>(make: (from: In) => Out): ((from: In) => Out) => {
  let last: { readonly from: In; readonly made: Out } | null = null;
  return (from) => {
    if (last?.from !== from) last = { from, made: make(from) };
    return last.made;
  };
};

/** The default workspace's stand where they stood before there were others. */
const tokensOf = (workspace: string, tokens: TokenStore): TokenStore =>
  workspace === DEFAULT_WORKSPACE ? tokens : prefixTokens(tokens, ["workspace", workspace]);
