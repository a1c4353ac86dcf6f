/** For tests: a workspace in temporary folders with real stores, files and queue; what generates is the test's. */
import { mkdirSync, readdirSync, readFileSync, readlinkSync } from "node:fs";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { rootListOf } from "../../kernel/roots-for-tests.ts";
import type { RootList } from "../../kernel/roots.ts";
import { Assemblies } from "../assemble/assemblies.ts";
import { ComposeError } from "../compose-error.ts";
import { artifactConfig } from "../configs/configs-for-tests.ts";
import type { ArtifactChild, ArtifactConfig } from "../configs/config-types.ts";
import { createConfigs } from "../keep/create-configs.ts";
import { Queue, QUEUE_LIMITS } from "../queue.ts";
import { createRenderer } from "../run/create-renderer.ts";
import { createRootedFiles } from "../run/create-rooted-files.ts";
import { Drafts } from "../storage/drafts.ts";
import { SavedConfigs } from "../storage/saved-configs.ts";
import { newVersion, openStore, temporaryDir, TestClock } from "../storage/storage-for-tests.ts";
import type { NewVersion, StoredVersion } from "../storage/stored-version.ts";
import type { VersionStore } from "../storage/version-store.ts";
import { assembleArtifactTool } from "../tools/assemble-artifact.ts";
import type { CallOnOrder, CalledOn, ComposeCall, Workbench } from "../workbench.ts";

export interface TestBench {
  readonly base: string;
  readonly root: string;
  readonly versions: VersionStore;
  readonly assemblies: Assemblies;
  readonly changed: string[];
  /** What was asked of `generate_content`. */
  readonly asked: CallOnOrder[];
  save(children: readonly ArtifactChild[], over?: Over): Promise<void>;
  add(id: string, text: string, over?: Partial<NewVersion>): Promise<StoredVersion>;
  assemble(args?: Readonly<Record<string, unknown>>, signal?: AbortSignal): Promise<Answer>;
  /** The code, and the error; fails where there is none. */
  refusal(args?: Readonly<Record<string, unknown>>): Promise<ComposeError>;
  readonly file: (path: string) => string;
}

type Over = Readonly<Record<string, unknown>> & { readonly id?: string; readonly rest?: object };

interface Answer {
  readonly status: string;
  readonly output_path: string;
  readonly output_uri: string;
  readonly content_count: number;
  readonly size_bytes: number;
  readonly metadata: Readonly<Record<string, unknown>> & {
    readonly components: readonly { content_id: string; version_id: string; size_bytes: number }[];
    readonly skipped_components: readonly { content_id: string; reason: string }[];
  };
}

export interface BenchOptions {
  readonly limits?: Partial<ReturnType<Workbench["limits"]>>;
  readonly queue?: Queue;
  /** In a folder that is the test's. */
  readonly roots?: (base: string) => RootList;
  readonly generate?: (id: string, bench: TestBench, order: CallOnOrder) => Promise<CalledOn>;
  readonly over?: (bench: Workbench) => Partial<Workbench>;
}

const LIMITS: ReturnType<Workbench["limits"]> = {
  max_content_size_bytes: 10_000,
  max_artifact_components: 100,
  ephemeral_retention_days: 30,
  max_batch_size: 50,
  max_concurrent_generations: 8,
  max_concurrent_assemblies: 4,
  queue_size: 100,
  timeout_seconds: 300,
};

const callOf = (signal: AbortSignal = new AbortController().signal): ComposeCall =>
  ({ owner: "person:test", signal, listener: undefined, facts: () => ({}), caller: {} }) as unknown as ComposeCall;

export const openBench = (options: BenchOptions = {}): TestBench => {
  const base = temporaryDir();
  const root = join(base, "root");
  mkdirSync(root);
  const clock = new TestClock();
  const roots = options.roots === undefined ? rootListOf({ project: root }) : options.roots(base);
  const [changed, asked] = [[] as string[], [] as CallOnOrder[]];
  const versions = openStore(join(base, "ephemeral"), clock);
  const assemblies = new Assemblies({ dir: join(base, "assemblies"), now: clock.now });
  const callOn: Workbench["callOn"] = async (order) => {
    asked.push(order);
    const id = String(order.args["content_config_id"]);
    return (options.generate ?? generateText)(id, bench, order);
  };
  const made = workbenchOf({ base, root, roots, versions, clock, callOn, changed, options });
  const tool = assembleArtifactTool({ ...made, ...options.over?.(made) }, { assemblies, roots: () => roots });
  const assemble: TestBench["assemble"] = async (args = {}, signal?) =>
    (await tool.run({ artifact_config_id: "book", ...args }, callOf(signal))) as unknown as Answer;
  const bench: TestBench = {
    base,
    root,
    versions,
    assemblies,
    changed,
    asked,
    save: (children, over = {}) => saveArtifact(made.saved, children, over),
    add: (id, text, over = {}) => versions.add(newVersion(id, text, over)),
    assemble,
    refusal: async (args) => {
      const answer = await assemble(args).catch((error: unknown) => error);
      if (answer instanceof ComposeError) return answer;
      throw answer instanceof Error ? answer : new Error(`It was not refused: ${JSON.stringify(answer)}`);
    },
    file: (path) => readFileSync(join(root, path), "utf8"),
  };
  return bench;
};

/** Two children, both stored. */
export const openBook = async (options: BenchOptions = {}): Promise<TestBench> => {
  const bench = openBench(options);
  await bench.save([
    { id: "b", order: 2 },
    { id: "a", order: 1 },
  ]);
  await bench.add("a", "Alpha");
  await bench.add("b", "Beta");
  return bench;
};

/** Something happens after an assembly was planned and before it is carried out. */
export const meanwhile =
  (happens: () => unknown): BenchOptions["over"] =>
  ({ queue }) => {
    const run: Queue["run"] = async (work) => {
      await happens();
      return queue.run(work);
    };
    return { queue: { run } as Queue };
  };

interface Parts {
  readonly base: string;
  readonly root: string;
  readonly roots: RootList;
  readonly versions: VersionStore;
  readonly clock: TestClock;
  readonly callOn: Workbench["callOn"];
  readonly changed: string[];
  readonly options: BenchOptions;
}

const workbenchOf = ({ base, root, roots, versions, clock, callOn, changed, options }: Parts): Workbench => {
  const seen = { generators: [], rejected: [] };
  const generators = { look: () => Promise.resolve(seen), seen: () => seen, run: unused };
  const saved = new SavedConfigs(() => root);
  const renderer = createRenderer();
  onTestFinished(() => renderer.close());
  return {
    now: clock.now,
    limits: () => ({ ...LIMITS, ...options.limits }),
    versions,
    drafts: new Drafts({ dir: join(base, "drafts"), now: clock.now }),
    saved,
    configs: createConfigs({ saved, generators }),
    generators,
    maker: { prepare: unused, make: unused },
    rooted: createRootedFiles({ roots: () => roots, maxBytes: 10_000 }),
    render: renderer.render,
    merge: renderer.merge,
    compare: renderer.compare,
    queue: options.queue ?? new Queue(QUEUE_LIMITS),
    callOn,
    changed: (uri) => void changed.push(uri),
  };
};

/** Assembling makes no text by itself. */
const unused = (): never => {
  throw new Error("A generator was used");
};

const saveArtifact = async (saved: SavedConfigs, children: readonly ArtifactChild[], over: Over): Promise<void> => {
  const { id = "book", rest = {}, ...metadata } = over;
  const config: ArtifactConfig = { ...artifactConfig(children, metadata), ...rest };
  await saved.save({ type: "artifact", id, data: { ...config }, overwrite: true });
};

const generateText: NonNullable<BenchOptions["generate"]> = async (id, bench) => {
  const { version_id } = await bench.add(id, `made ${id}`);
  return { ok: true, value: { status: "generated", metadata: { version_id } } };
};

/** Everything in a folder, links as what they say. */
export const snapshot = (dir: string): Readonly<Record<string, string>> => {
  const found: Record<string, string> = {};
  for (const entry of readdirSync(dir, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    if (entry.isSymbolicLink()) found[path] = `-> ${readlinkSync(path)}`;
    else if (entry.isFile()) found[path] = readFileSync(path, "utf8");
    else found[path] = entry.isDirectory() ? "folder" : "special";
  }
  return found;
};
