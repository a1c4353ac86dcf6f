/**
 * What each tool requires and lacks, under the capabilities that are declared now. Every list, gate and description asks
 * here, so that none of them can say something else; the answer about a tool is made once and kept until what is declared
 * is replaced.
 */
import type { Requirements, RequirementsOf } from "../../kernel/environment.ts";
import { matchesGlob } from "../../kernel/glob.ts";
import type { ListedTool } from "../../kernel/provider.ts";
import { missingCapabilities } from "./missing-capabilities.ts";
import { requiredCapabilities } from "./required-capabilities.ts";

type Lists = Readonly<Record<string, readonly string[]>>;

/** As in the configuration. */
export interface EnvironmentSettings {
  readonly declared: readonly string[];
  /** By glob over flat names: what the operator requires in addition. */
  readonly require: Lists;
  /** By provider: what is declared for its tools alone, in addition. */
  readonly providers: Lists;
}

/** `before` and `after` are the host's own list. */
export interface EnvironmentChange {
  readonly changed: boolean;
  readonly before: readonly string[];
  readonly after: readonly string[];
}

export interface EnvironmentBook {
  readonly of: RequirementsOf;
  /** The host's, then the provider's own, each once. */
  declaredFor(provider: string): readonly string[];
  /** Another number after each change. */
  generation(): number;
  replace(settings: EnvironmentSettings): EnvironmentChange;
}

interface Known {
  readonly provider: string;
  readonly flatName: string;
  readonly requirements: Requirements | null;
}

const NOTHING: Requirements = Object.freeze({ required: Object.freeze([]), missing: Object.freeze([]) });

export const createEnvironmentBook = (settings: EnvironmentSettings): EnvironmentBook => {
  let edition = new Edition(settings);
  let generation = 0;
  return {
    of: (provider, tool, flatName) => edition.of(provider, tool, flatName),
    declaredFor: (provider) => edition.declaredFor(provider),
    generation: () => generation,
    replace(next) {
      const [before, replaced] = [edition, new Edition(next)];
      const changed = before.text !== replaced.text;
      if (changed) {
        edition = replaced;
        generation++;
      }
      return { changed, before: before.declared, after: replaced.declared };
    },
  };
};

/** One state of the settings. */
class Edition {
  readonly declared: readonly string[];
  /** Of all of it, to be compared. */
  readonly text: string;
  readonly #extra: readonly (readonly [glob: string, entries: readonly string[]])[];
  readonly #host: ReadonlySet<string>;
  readonly #byProvider: ReadonlyMap<string, ReadonlySet<string>>;
  readonly #known = new WeakMap<ListedTool, Known>();

  constructor({ declared, require, providers }: EnvironmentSettings) {
    this.text = JSON.stringify([declared, Object.entries(require), Object.entries(providers)]);
    this.#host = new Set(declared);
    this.declared = [...this.#host];
    this.#extra = Object.entries(require);
    this.#byProvider = new Map(
      Object.entries(providers).map(([name, entries]) => [name, new Set([...declared, ...entries])]),
    );
  }

  declaredFor(provider: string): readonly string[] {
    return [...this.#declaredTo(provider)];
  }

  #declaredTo(provider: string): ReadonlySet<string> {
    return this.#byProvider.get(provider) ?? this.#host;
  }

  /** An entry may be listed by several providers; then the last one that was asked about is kept. */
  of(provider: string, tool: ListedTool, flatName: string): Requirements | null {
    const known = this.#known.get(tool);
    if (known !== undefined && known.flatName === flatName && known.provider === provider) return known.requirements;
    const requirements = this.#find(provider, tool, flatName);
    this.#known.set(tool, { provider, flatName, requirements });
    return requirements;
  }

  #find(provider: string, tool: ListedTool, flatName: string): Requirements | null {
    const own = requiredCapabilities(tool.value);
    if (own === null) return null;
    const extra = this.#extra.flatMap(([glob, entries]) => (matchesGlob(glob, flatName) ? entries : []));
    if (own.length + extra.length === 0) return NOTHING;
    const required = extra.length === 0 ? own : [...own, ...extra];
    return { required, missing: missingCapabilities(required, this.#declaredTo(provider)) };
  }
}
