/** The generators of one workspace: those that come with the host, and plug-ins, which run beside it. */
import type { Config } from "@bailiwick/contract";
import { join } from "node:path";
import type { Ground } from "../bundles/ground.ts";
import { createStartProgram } from "../bundles/scripts/start-program.ts";
import { createCodeGeneration } from "../compose/generators/code-generation.ts";
import type { Credentials } from "../compose/plugins/availability-of.ts";
import { createPlugins } from "../compose/plugins/create-plugins.ts";
import { createGeneratorBook, type GeneratorBookOptions } from "../compose/run/create-generator-book.ts";
import type { GeneratorBook } from "../compose/workbench.ts";
import type { Models } from "../kernel/model.ts";

export interface GeneratorsOptions extends Pick<GeneratorBookOptions, "render" | "rooted" | "limits"> {
  readonly workspace: string;
  readonly workDir: string;
  readonly baseDir: string;
  readonly configFiles: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  /** As it is now. */
  readonly settings: { readonly config: Config };
  readonly ground: Ground;
  /** Where plug-ins keep what they keep, each in a folder of its own, and what was recorded of them is noted. */
  readonly dataDir: string;
  readonly models: () => Models;
  readonly record: (type: string, data: object) => Promise<void>;
  /** There are others than before. */
  readonly seen: () => void;
  readonly report: (error: unknown) => void;
}

export interface OpenedGenerators {
  readonly book: GeneratorBook;
  readonly credentialsOf: (type: string) => Credentials;
  /** What plug-ins last printed. */
  logs(): readonly string[];
  close(): Promise<void>;
}

/** Kept as of a skill package or a bundle: for who asks, never on the host's own stderr. */
const MAX_LINES = 200;

export const openGenerators = (options: GeneratorsOptions): OpenedGenerators => {
  const { workspace, workDir, baseDir, configFiles, env, settings, ground, limits, report } = options;
  /** Plug-ins are compose's: what it is granted, they may be given as far as they ask for it. */
  const granted = (): readonly string[] => settings.config.capabilities.env["compose"] ?? [];
  const start = createStartProgram({
    ground,
    workspace,
    workDir,
    baseDir,
    configFiles,
    env,
    dataDirOf: (provider) => join(options.dataDir, provider),
    sandbox: () => settings.config.sandbox,
  });
  const lines: string[] = [];
  const plugins = createPlugins({
    workDir,
    workspace,
    dataDir: options.dataDir,
    start,
    maxBytes: limits().max_content_size_bytes,
    granted,
    changed: ({ what, ...plugin }) => options.record("generator_changed", { what, ...plugin }),
    onSeen: options.seen,
    log: (line) => {
      lines.push(line);
      if (lines.length > MAX_LINES) lines.shift();
    },
    fault: report,
  });
  const codeGeneration = createCodeGeneration({ models: followModels(options.models), config: settings.config });
  const ofPlugins: Credentials = {
    has: (name) => isSet(env[name]) && granted().includes(name),
    lacks: (name) => ({ value: !isSet(env[name]), grant: !granted().includes(name) }),
  };
  const ofModels = codeGeneration.credentials({ has: (name) => isSet(env[name]) });
  const credentialsOf = (type: string): Credentials => (type === codeGeneration.entry.type ? ofModels : ofPlugins);
  const book = createGeneratorBook({ ...options, plugins, codeGeneration, credentialsOf });
  return { book, credentialsOf, logs: () => [...lines], close: () => plugins.close() };
};

/** The configuration may give others while the host runs. */
const followModels = (models: () => Models): Models => ({
  get defaultModel() {
    return models().defaultModel;
  },
  unconfigured: (model) => models().unconfigured(model),
  windowOf: (model) => models().windowOf(model),
  costOf: (model, usage) => models().costOf(model, usage),
  call: (request) => models().call(request),
});

const isSet = (value: string | undefined): boolean => value !== undefined && value !== "";
