/** The one registry of generators: those that come with the host and the plug-ins, what each lacks, and how each is run. */
import { HostError } from "../../kernel/host-error.ts";
import { bddScenarioAssembly } from "../generators/bdd-scenario-assembly.ts";
import { BUILT_IN_GENERATORS } from "../generators/built-in-generators.ts";
import { choosePattern } from "../generators/choose-pattern.ts";
import type { CodeGeneration } from "../generators/code-generation.ts";
import { demonstration } from "../generators/demonstration.ts";
import { generationFailed, type Generate } from "../generators/generation.ts";
import type { GeneratorEntry } from "../generators/generator-entry.ts";
import { templateFill } from "../generators/template-fill.ts";
import type { Availability, ListedGenerator } from "../documents/generators-document.ts";
import { availabilityOf, type Credentials } from "../plugins/availability-of.ts";
import type { Plugins, PluginsSeen } from "../plugins/create-plugins.ts";
import { preflight } from "../plugins/preflight.ts";
import type {
  GeneratorBook,
  GeneratorOrder,
  GeneratorResult,
  GeneratorsSeen,
  RenderJinja,
  RootedFiles,
  Workbench,
} from "../workbench.ts";
import { readIncluded } from "./read-included.ts";

export interface GeneratorBookOptions {
  readonly plugins: Pick<Plugins, "look" | "generate">;
  readonly codeGeneration: CodeGeneration;
  /** What this generator may have; the same that it is checked by before it is called. */
  readonly credentialsOf: (type: string) => Credentials;
  readonly render: RenderJinja;
  /** For what a template includes by names that are known only when it runs. */
  readonly rooted: Pick<RootedFiles, "read">;
  readonly limits: () => Pick<ReturnType<Workbench["limits"]>, "max_content_size_bytes" | "timeout_seconds">;
}

/** Those that need nothing but what they are given. */
const LOCAL: ReadonlyMap<string, Generate> = new Map([
  ["template_fill", templateFill],
  ["demonstration", demonstration],
  ["bdd_scenario_assembly", bddScenarioAssembly],
]);

export const createGeneratorBook = (options: GeneratorBookOptions): GeneratorBook => new Book(options);

const NO_PLUGINS: PluginsSeen = { entries: [], rejected: [] };

class Book implements GeneratorBook {
  readonly #options: GeneratorBookOptions;
  readonly #builtIn: readonly GeneratorEntry[];
  #plugins: PluginsSeen = NO_PLUGINS;
  #seen: GeneratorsSeen;

  constructor(options: GeneratorBookOptions) {
    this.#options = options;
    const { entry: code } = options.codeGeneration;
    this.#builtIn = BUILT_IN_GENERATORS.map((entry) => (entry.type === code.type ? code : entry));
    this.#seen = this.#list(NO_PLUGINS);
  }

  async look(): Promise<GeneratorsSeen> {
    const plugins = await this.#options.plugins.look();
    const seen = this.#list(plugins);
    if (plugins !== this.#plugins || !sameAvailability(seen, this.#seen)) this.#seen = seen;
    this.#plugins = plugins;
    return this.#seen;
  }

  seen(): GeneratorsSeen {
    return this.#seen;
  }

  async run(order: GeneratorOrder): Promise<GeneratorResult> {
    order.signal.throwIfAborted();
    const { type, config, context, run, signal } = order;
    const pattern = choosePattern(config, type);
    const maxBytes = this.#options.limits().max_content_size_bytes;
    const generation = { config, pattern, context, maxBytes };
    const builtIn = this.#builtIn.find((entry) => entry.type === type);
    if (builtIn === undefined) return this.#runPlugin(order, generation);
    const { version } = builtIn;
    const local = LOCAL.get(type);
    if (local !== undefined) return { text: local(generation), version, metadata: {} };
    if (type === "jinja2") return { text: await this.#runJinja(order, maxBytes), version, metadata: {} };
    if (type !== "code_generation") throw new HostError(`nothing runs the generator ${type}`);
    return { ...(await this.#options.codeGeneration.generate({ ...generation, run, signal })), version };
  }

  #runJinja({ config, context, templates, signal }: GeneratorOrder, maxBytes: number): Promise<string> {
    const { text, files, isOpen } = templates;
    if (text === null) throw generationFailed(`Config '${config.id}' has no template for jinja2`);
    const { render, rooted } = this.#options;
    const load = async (name: string): Promise<string | null> =>
      files.get(name) ?? (isOpen ? readIncluded(name, rooted) : null);
    return render({ text, context, load, maxBytes, signal });
  }

  async #runPlugin({ type, signal }: GeneratorOrder, generation: Parameters<Generate>[0]): Promise<GeneratorResult> {
    const { plugins, limits, credentialsOf } = this.#options;
    await this.look();
    const entry = this.#plugins.entries.find((one) => one.type === type);
    const cleared = entry === undefined ? null : preflight(entry, credentialsOf(type));
    const timeoutMs = cleared?.timeoutMs ?? limits().timeout_seconds * 1_000;
    const { text, version } = await plugins.generate(type, { ...generation, timeoutMs, signal });
    return { text, version, metadata: {} };
  }

  #list({ entries, rejected }: PluginsSeen): GeneratorsSeen {
    const generators = [...this.#builtIn, ...entries].map((entry) => ({
      entry,
      availability: this.#availability(entry),
    }));
    return { generators, rejected };
  }

  #availability(entry: GeneratorEntry): Availability {
    const { codeGeneration, credentialsOf } = this.#options;
    const availability = availabilityOf(entry, credentialsOf(entry.type));
    if (entry !== codeGeneration.entry || availability.status === "unavailable") return availability;
    const fault = codeGeneration.fault();
    return fault === null ? availability : { status: "unavailable", reason: fault, missing: [] };
  }
}

const sameAvailability = (one: GeneratorsSeen, other: GeneratorsSeen): boolean =>
  one.generators.length === other.generators.length &&
  one.generators.every(({ availability }, at) => isSame(availability, other.generators[at]!));

const isSame = (one: Availability, { availability: other }: ListedGenerator): boolean =>
  one.status === other.status && one.reason === other.reason;
