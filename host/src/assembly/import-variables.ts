/**
 * Secrets of a foreign file: none is written into the configuration. Each becomes a reference to a variable of the
 * environment, and whoever imports is told which one to set. Values are looked at and never told. Pure.
 */

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
}

const SECRET_NAME = /key|token|secret|passw|credential|authorization|cookie|(?:^|_)pat(?:$|_)/i;
const SECRET_VALUE =
  /^(?:sk-|sk_|pk_|rk_|gh[opsu]_|github_pat_|glpat-|xox[abprs]-|AKIA|AIza|eyJ|hf_|npm_|bw_|Bearer\s)|:\/\/[^/\s:@]*:[^/\s@]+@/;
/** Long, without blanks and dots, of letters and digits. */
const OPAQUE = /^(?=.*[0-9])(?=.*[A-Za-z])[A-Za-z0-9+=_-]{32,}$/;
const PLAIN = /^(?:true|false|yes|no|on|off)$/i;
const COUNT = /^\d{1,7}$/;
const FILE = /^(?:~|\.{0,2})\/.*\.[A-Za-z0-9]{1,5}$/;
/** Variables of the host itself, which no bundle gets. */
const WITHHELD = /^(?:BAILIWICK_.*|NB_API_KEY|NB_INTERNAL_TOKEN)$/i;
const REFERENCE = /\$\{env:[^}]+\}/;
const MAX_LENGTH = 100;

export const looksSecret = (name: string, value: string): boolean => {
  if (value === "" || PLAIN.test(value) || FILE.test(value) || REFERENCE.test(value)) return false;
  if (COUNT.test(value) && /tokens$/i.test(name)) return false;
  return SECRET_NAME.test(name) || SECRET_VALUE.test(value) || OPAQUE.test(value);
};

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
  refer({ bundle, where, name, value }: VariableWish): string {
    const chosen = this.#choose(bundle, name, value);
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

  #choose(bundle: string, name: string, value: string | null): string {
    if (value === null && !WITHHELD.test(name)) return name;
    const own = `${variableName(bundle)}_${name}`;
    const numbered = Array.from({ length: 50 }, (_, index) => `${own}_${index + 2}`);
    return [name, own, ...numbered].find((each) => this.#isFree(each, value)) ?? own;
  }

  #isFree(name: string, value: string | null): boolean {
    if (WITHHELD.test(name)) return false;
    const known = this.#values.get(name);
    if (known !== undefined) return known === value;
    return this.#env[name] === undefined || this.#env[name] === value;
  }
}
