/** For tests: a workspace of compose with real stores and generators, and generators that a test makes up. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { createRequire } from "node:module";
import type { Ajv2020 } from "ajv/dist/2020.js";
import { tellChanges } from "../assemble/tell-changes.ts";
import { ComposeError } from "../compose-error.ts";
import type { ContentConfig } from "../configs/config-types.ts";
import { savedPathOf } from "../configs/saved-path-of.ts";
import { BUILT_IN_GENERATORS } from "../generators/built-in-generators.ts";
import { bddScenarioAssembly } from "../generators/bdd-scenario-assembly.ts";
import { choosePattern } from "../generators/choose-pattern.ts";
import { demonstration } from "../generators/demonstration.ts";
import { generationFailed, type Generate } from "../generators/generation.ts";
import type { GeneratorEntry, UpstreamDependencies } from "../generators/generator-entry.ts";
import { templateFill } from "../generators/template-fill.ts";
import { renderTemplate } from "../jinja/render-template.ts";
import { createConfigs } from "../keep/create-configs.ts";
import { availabilityOf } from "../plugins/availability-of.ts";
import { Queue, QUEUE_LIMITS } from "../queue.ts";
import { gatherTemplates } from "../run/gather-templates.ts";
import { Drafts } from "../storage/drafts.ts";
import { readBelow } from "../storage/rooted-files.ts";
import { SavedConfigs } from "../storage/saved-configs.ts";
import { temporaryDir, TestClock } from "../storage/storage-for-tests.ts";
import { VersionStore } from "../storage/version-store.ts";
import type { ComposeTool } from "../tools/compose-tool.ts";
import { generateContentTool } from "../tools/generate-content.ts";
import type {
  CalledOn,
  ComposeCall,
  GeneratorBook,
  GeneratorOrder,
  GeneratorResult,
  RootedFiles,
  Workbench,
} from "../workbench.ts";
import { createMaker } from "./create-maker.ts";

type Answer = Readonly<Record<string, unknown>>;

export interface MadeUp {
  readonly upstream?: Partial<UpstreamDependencies>;
  readonly run: (order: GeneratorOrder) => Promise<string | GeneratorResult>;
}

export interface BenchOptions {
  readonly generators?: Readonly<Record<string, MadeUp>>;
  readonly credentials?: readonly string[];
  readonly limits?: Partial<ReturnType<Workbench["limits"]>>;
  readonly queue?: Queue;
  /** By `ref:path`. */
  readonly commits?: Readonly<Record<string, string>>;
}

export interface TestBench extends Workbench {
  readonly root: string;
  /** URIs, as they were told. */
  readonly told: string[];
  /** How often a generator ran. */
  readonly runs: () => number;
  save(config: Partial<ContentConfig>): void;
  write(path: string, text: string): void;
}

const LIMITS = {
  max_content_size_bytes: 10_000_000,
  max_artifact_components: 100,
  ephemeral_retention_days: 30,
  max_batch_size: 50,
  max_concurrent_generations: 8,
  max_concurrent_assemblies: 4,
  queue_size: 100,
  timeout_seconds: 300,
};

const OWN: Readonly<Record<string, Generate>> = {
  template_fill: templateFill,
  demonstration,
  bdd_scenario_assembly: bddScenarioAssembly,
};

const NOTHING_UPSTREAM: UpstreamDependencies = {
  services: [],
  credentials_required: [],
  optional_services: [],
  expected_latency_ms: {},
  stability: "stable",
  concurrency_safe: true,
};

const entryOf = (type: string, { upstream }: MadeUp): GeneratorEntry => ({
  ...BUILT_IN_GENERATORS[0]!,
  type,
  name: type,
  version: "2.1.0",
  // One with others behind it is timed by the maker, as those of the host are.
  source: upstream === undefined ? "plugin" : "builtin",
  upstream_dependencies: upstream === undefined ? null : { ...NOTHING_UPSTREAM, ...upstream },
});

const runOwn = ({ type, config, context, templates }: GeneratorOrder, root: string): string => {
  const maxBytes = LIMITS.max_content_size_bytes;
  const generate = OWN[type];
  if (generate !== undefined) return generate({ config, pattern: choosePattern(config, type), context, maxBytes });
  if (templates.text === null) throw generationFailed("no template");
  const load = (name: string): string | null => {
    const path = join(root, "templates", name);
    return templates.files.get(name) ?? (existsSync(path) ? readFileSync(path, "utf8") : null);
  };
  try {
    return renderTemplate({ text: templates.text, context, load, limits: { fuel: 1_000_000, maxBytes } });
  } catch (error) {
    throw generationFailed((error as Error).message);
  }
};

interface TestBook extends GeneratorBook {
  readonly runs: () => number;
}

const createBook = (root: string, { generators = {}, credentials = [] }: BenchOptions): TestBook => {
  const has = (name: string): boolean => credentials.includes(name);
  const others = BUILT_IN_GENERATORS.filter(({ type }) => !Object.hasOwn(generators, type));
  const entries = [...others, ...Object.entries(generators).map(([type, madeUp]) => entryOf(type, madeUp))];
  const seen = {
    generators: entries.map((entry) => ({ entry, availability: availabilityOf(entry, { has }) })),
    rejected: [],
  };
  let runs = 0;
  return {
    look: () => Promise.resolve(seen),
    seen: () => seen,
    runs: () => runs,
    async run(order) {
      runs++;
      const { version } = entries.find(({ type }) => type === order.type)!;
      const made = Object.hasOwn(generators, order.type)
        ? await generators[order.type]!.run(order)
        : runOwn(order, root);
      return typeof made === "string" ? { text: made, version, metadata: {} } : made;
    },
  };
};

const rootedIn = (root: string, commits: Readonly<Record<string, string>> = {}): RootedFiles => {
  const read = async (path: string): Promise<string | null> => {
    if (path.startsWith("/") || path.includes("..")) throw generationFailed("it leads out of the roots");
    return (await readBelow(root, path, LIMITS.max_content_size_bytes))?.text ?? null;
  };
  return {
    first: () => root,
    read,
    template: async (name) => (await read(`templates/${name}`)) ?? (await read(name)),
    git: (ref, path) => Promise.resolve(commits[`${ref}:${path}`] ?? null),
  };
};

export const createBench = (options: BenchOptions = {}): TestBench => {
  const root = temporaryDir();
  const { now } = new TestClock();
  const limits = () => ({ ...LIMITS, ...options.limits });
  const generators = createBook(root, options);
  const saved = new SavedConfigs(() => root);
  const versions = new VersionStore({ dir: join(root, "work", "ephemeral"), now });
  const queue = options.queue ?? new Queue(QUEUE_LIMITS);
  const rooted = rootedIn(root, options.commits);
  const told: string[] = [];
  const maker = createMaker({
    generators,
    credentialsOf: () => ({ has: (name) => options.credentials?.includes(name) ?? false }),
    gatherTemplates: (template) => gatherTemplates(template, rooted),
    rooted,
    versions,
    saved,
    queue,
    limits,
  });
  const write = (path: string, text: string): void => {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  };
  const bench: TestBench = {
    root,
    told,
    runs: generators.runs,
    now,
    limits,
    versions,
    drafts: new Drafts({ dir: join(root, "work", "drafts"), now }),
    saved,
    configs: createConfigs({ saved, generators }),
    generators,
    maker,
    rooted,
    render: () => Promise.reject(new Error("not used here")),
    merge: () => Promise.reject(new Error("not used here")),
    compare: async ({ before, after }) => tellChanges(before, after),
    queue,
    callOn: ({ tool, args, call }) => callTool(tool, args, call),
    changed: (uri) => void told.push(uri),
    save: (config) => write(savedPathOf("content", config.id ?? ""), JSON.stringify(config)),
    write,
  };
  const generate = generateContentTool(bench);
  const callTool = async (tool: string, args: Answer, call: ComposeCall): Promise<CalledOn> => {
    if (tool !== generate.name) throw new Error(`nobody calls ${tool} on`);
    try {
      return { ok: true, value: await generate.run(args, call) };
    } catch (error) {
      if (!(error instanceof ComposeError)) throw error;
      return { ok: false, code: error.code, message: error.message, details: error.details };
    }
  };
  return bench;
};

export const testCall = (signal: AbortSignal = new AbortController().signal): ComposeCall =>
  ({ signal, facts: () => ({ origin: { run: null } }) }) as unknown as ComposeCall;

const { Ajv2020: Engine } = createRequire(import.meta.url)("ajv/dist/2020.js") as { Ajv2020: typeof Ajv2020 };
const engine = new Engine({ strict: true, allowUnionTypes: true, strictRequired: false, strictTypes: false });

const check = (schema: object, value: unknown): string | null => {
  const validate = engine.compile(schema);
  return validate(value) ? null : engine.errorsText(validate.errors);
};

/** What the gates and the wrapper around a tool do, as far as a test needs it: both schemas hold, and codes are told. */
export const callTool = async (tool: ComposeTool, args: Answer, call = testCall()): Promise<Answer> => {
  const refused = check(tool.inputSchema, args);
  if (refused !== null) return { success: false, error: { code: "invalid_input", message: refused, details: {} } };
  let answer: Answer;
  try {
    answer = { success: true, ...(await tool.run(args, call)), duration_ms: 0 };
  } catch (error) {
    if (!(error instanceof ComposeError)) throw error;
    answer = { success: false, error: { code: error.code, message: error.message, details: error.details } };
  }
  const fault = check(tool.outputSchema, JSON.parse(JSON.stringify(answer)));
  if (fault !== null) throw new Error(`${tool.name} answered against its schema: ${fault}`);
  return answer;
};

/** What its guide shows as examples and the schema refuses; none. */
export const badExamples = ({ guide, inputSchema }: ComposeTool): readonly string[] =>
  guide.examples.flatMap(({ input }) => (input === undefined ? [] : (check(inputSchema, input) ?? [])));

export const codeOf = ({ error }: Answer): unknown => (error as { code?: unknown } | undefined)?.code;
