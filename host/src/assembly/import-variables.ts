/**
 * Secrets of a foreign file: none is written into the configuration. Each becomes a reference to a variable of the
 * environment, and whoever imports is told which one to set. Values are looked at and never told. Pure.
 */
import { isModelKey } from "./import-model-keys.ts";
import { WITHHELD } from "./resolve-secrets.ts";

export interface WantedVariable {
  readonly name: string;
  /** The bundle that needs it. */
  readonly bundle: string;
  /** Where its value stands in the source, as `env GITHUB_TOKEN`. */
  readonly where: string;
  /** It has that very value in the environment of this command. */
  readonly isSet: boolean;
}

export interface VariableWish {
  readonly bundle: string;
  readonly where: string;
  /** What the variable would best be called. */
  readonly name: string;
  /** Null: the source refers to a variable itself, and does not say its value. */
  readonly value: string | null;
  /** It is the host's own model that gets it. */
  readonly forModel?: true;
}

const MAX_LENGTH = 100;

/** The spelling of a variable: `api key` gives `API_KEY`. */
export const variableName = (text: string): string => {
  const words = text.replace(/([a-z0-9])([A-Z])/g, "$1_$2").replace(/[^A-Za-z0-9]+/g, "_");
  const name = words
    .replace(/^_+|_+$/g, "")
    .toUpperCase()
    .slice(0, MAX_LENGTH);
  return /^[A-Z]/.test(name) ? name : `VALUE_${name}`;
};

export class ImportVariables {
  readonly #env: Readonly<Record<string, string | undefined>>;
  readonly #values = new Map<string, string | null>();
  #wanted: WantedVariable[] = [];

  /** A variable that is set to something else is not referred to for a value of the source. */
  constructor(env: Readonly<Record<string, string | undefined>>) {
    this.#env = env;
  }

  /** `${env:NAME}` */
  refer(wish: VariableWish): string {
    const { bundle, where, value } = wish;
    const chosen = this.#choose(wish);
    this.#values.set(chosen, value);
    const isSet = value === null ? this.#env[chosen] !== undefined : this.#env[chosen] === value;
    if (!this.#wanted.some((each) => each.name === chosen && each.bundle === bundle)) {
      this.#wanted.push({ name: chosen, bundle, where, isSet });
    }
    return `\${env:${chosen}}`;
  }

  wanted(): readonly WantedVariable[] {
    return this.#wanted;
  }

  /** The bundle does not come after all. */
  forget(bundle: string): void {
    this.#wanted = this.#wanted.filter((each) => each.bundle !== bundle);
  }

  #choose({ bundle, name, value, forModel }: VariableWish): string {
    if (value === null && !WITHHELD.test(name)) return name;
    const own = `${variableName(bundle)}_${name}`;
    const numbered = Array.from({ length: 50 }, (_, index) => `${own}_${index + 2}`);
    // Under the name of a model's key the host's own model would get it, and the bundle the host's own key.
    const names = isModelKey(name) && forModel !== true ? [own, ...numbered] : [name, own, ...numbered];
    return names.find((each) => this.#isFree(each, value)) ?? own;
  }

  #isFree(name: string, value: string | null): boolean {
    if (WITHHELD.test(name)) return false;
    const known = this.#values.get(name);
    if (known !== undefined) return known === value;
    return this.#env[name] === undefined || this.#env[name] === value;
  }
}
