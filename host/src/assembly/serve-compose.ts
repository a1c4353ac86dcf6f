/** The provider `compose` of one workspace, joined: its stores and generators, its tools and the documents about the host. */
import type { Config } from "@bailiwick/contract";
import { join } from "node:path";
import type { Ground } from "../bundles/ground.ts";
import { Assemblies } from "../compose/assemble/assemblies.ts";
import { createComposeProvider, type ComposeProvider } from "../compose/create-compose-provider.ts";
import { capabilityDocuments, type DocumentPorts } from "../compose/documents/capability-documents.ts";
import type { ConcurrencyLimits, ServerFacts } from "../compose/documents/server-document.ts";
import { createConfigs } from "../compose/keep/create-configs.ts";
import { startSweep } from "../compose/keep/sweep.ts";
import { createMaker } from "../compose/make/create-maker.ts";
import { createForesee, type Foresee } from "../compose/make/foresee.ts";
import { Queue, QUEUE_LIMITS } from "../compose/queue.ts";
import { createRenderer } from "../compose/run/create-renderer.ts";
import { createRootedFiles } from "../compose/run/create-rooted-files.ts";
import { gatherTemplates } from "../compose/run/gather-templates.ts";
import { Drafts } from "../compose/storage/drafts.ts";
import { SavedConfigs } from "../compose/storage/saved-configs.ts";
import { VersionStore } from "../compose/storage/version-store.ts";
import { composeTools } from "../compose/tools/compose-tools.ts";
import type { Workbench } from "../compose/workbench.ts";
import type { Models } from "../kernel/model.ts";
import type { ProviderSink } from "../kernel/provider.ts";
import type { RootList } from "../kernel/roots.ts";
import { atMostEach } from "./at-most-each.ts";
import { openGenerators } from "./open-generators.ts";
import { HOST_VERSION } from "./version.ts";

export interface ComposeServing
  extends
    Pick<Workbench, "callOn">,
    Pick<DocumentPorts, "surfaceFacts" | "times" | "limitOf" | "isSkillPackage" | "host" | "skills"> {
  readonly workspace: string;
  /** The folder of the workspace, and the one that relative paths of its configuration start from. */
  readonly home: string;
  readonly baseDir: string;
  readonly workDir: string;
  readonly configFiles: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  /** As it is now. */
  readonly settings: { readonly config: Config };
  readonly ground: Ground;
  readonly sink: ProviderSink;
  /** Those that the configuration gives the workspace. */
  readonly roots: () => RootList;
  readonly models: () => Models;
  readonly server: () => Omit<ServerFacts, "counts" | "features" | "limits" | "concurrency">;
  /** Rejects where it is not durable. */
  readonly record: (type: string, data: object) => Promise<void>;
  readonly report: (error: unknown) => void;
}

export interface ServedCompose {
  readonly foresee: Foresee;
  /** What a document of `capabilities://` tells of is not what it was. */
  changed(uri: string): void;
  /** What plug-in generators last printed. */
  logs(): readonly string[];
  close(): Promise<void>;
}

const OF_GENERATORS = ["capabilities://generators", "capabilities://server", "capabilities://"];
const CONCURRENCY: ConcurrencyLimits = {
  max_concurrent_generations: QUEUE_LIMITS.atOnce.generation,
  max_concurrent_assemblies: QUEUE_LIMITS.atOnce.assembly,
  queue_size: QUEUE_LIMITS.waiting,
  timeout_seconds: QUEUE_LIMITS.longestMs / 1_000,
};
/** Every client of the workspace lists again when it is told. */
const ANNOUNCE_MS = 1_000;
/** Of a file that a config reads. */
const MAX_SOURCE_BYTES = 10_000_000;

export const serveCompose = (options: ComposeServing): ServedCompose => {
  const { home, settings, sink, roots, report } = options;
  const dir = join(home, "data", "compose");
  const now = (): Date => new Date();
  const { limits: shown } = settings.config.compose;
  const limits = { ...shown, ...CONCURRENCY };
  const rooted = createRootedFiles({ roots, maxBytes: MAX_SOURCE_BYTES });
  const saved = new SavedConfigs(() => rooted.first());
  const versions = new VersionStore({ dir: join(dir, "ephemeral"), now });
  const drafts = new Drafts({ dir: join(dir, "drafts"), now });
  const assemblies = new Assemblies({ dir: join(dir, "assemblies"), now });
  const queue = new Queue(QUEUE_LIMITS);
  const renderer = createRenderer();
  const opened = openGenerators({
    ...options,
    dataDir: join(dir, "plugins"),
    render: renderer.render,
    rooted,
    limits: () => limits,
    seen: () => {
      for (const uri of OF_GENERATORS) provider.changed(uri);
    },
  });
  const { book: generators, credentialsOf } = opened;
  const maker = createMaker({
    generators,
    credentialsOf,
    gatherTemplates: (template) => gatherTemplates(template, rooted),
    queue,
    limits: () => limits,
    rooted,
    versions,
    saved,
  });
  const configs = createConfigs({ saved, generators });
  const bench: Workbench = {
    now,
    limits: () => limits,
    versions,
    drafts,
    saved,
    configs,
    generators,
    maker,
    rooted,
    render: renderer.render,
    merge: renderer.merge,
    compare: renderer.compare,
    queue,
    callOn: options.callOn,
    changed: (uri) => provider.changed(uri),
  };
  // What is listed is asked for anew each time; this is for those who wait to be told.
  const announce = atMostEach(ANNOUNCE_MS, () => sink.changed("compose"));
  const tools = composeTools(bench, { assemblies, roots });
  const provider: ComposeProvider = createComposeProvider({
    version: HOST_VERSION,
    tools,
    parts: bench,
    documents: capabilityDocuments({
      ...options,
      tools,
      generators,
      there: () => provider.there(),
      hasRoot: () => rooted.first() !== null,
      server: () => ({ ...options.server(), limits: shown, concurrency: CONCURRENCY }),
    }),
    listsChanged: () => announce.say(),
    maxResultBytes: settings.config.mcp.maxResultBytes,
    report,
  });
  sink.add(provider);
  const endSweep = startSweep({
    versions,
    drafts,
    days: () => shown.ephemeral_retention_days,
    changed: bench.changed,
    record: options.record,
    report,
  });
  return {
    foresee: createForesee({ configs, drafts, generators, credentialsOf }),
    changed: (uri) => provider.changed(uri),
    logs: () => opened.logs(),
    async close() {
      announce.end();
      await endSweep();
      await Promise.all([opened.close(), renderer.close()]);
    },
  };
};
