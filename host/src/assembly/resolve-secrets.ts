/**
 * Puts environment variables in place of `${env:NAME}` in one entry, where the configuration allows it. Pure: the caller
 * hands in the environment, and the resolved entry must reach neither log nor evidence nor answer.
 */
import type { BundleEntry, UrlEntry } from "@bailiwick/contract";

export interface UnresolvedReference {
  readonly variable: string;
  readonly pointer: string;
  /** One sentence with the next step. */
  readonly message: string;
}

export type ResolvedEntry =
  | {
      readonly ok: true;
      readonly entry: BundleEntry;
      /** Every value that was put in, for taking them out of texts again. */
      readonly secrets: readonly string[];
    }
  | { readonly ok: false; readonly unresolved: readonly UnresolvedReference[] };

type Environment = Readonly<Record<string, string | undefined>>;

const REFERENCE = /\$\{env:([^}]*)\}/g;
/** Secrets of the host itself, which no bundle gets by any way. */
export const WITHHELD = /^(?:BAILIWICK_.*|NB_API_KEY|NB_INTERNAL_TOKEN)$/i;

class Resolver {
  readonly unresolved: UnresolvedReference[] = [];
  readonly secrets = new Set<string>();
  readonly #env: Environment;

  constructor(env: Environment) {
    this.#env = env;
  }

  text(text: string, pointer: string): string {
    return text.replace(REFERENCE, (reference, variable: string) => {
      const value = Object.hasOwn(this.#env, variable) ? this.#env[variable] : undefined;
      if (value !== undefined && !WITHHELD.test(variable)) {
        if (value !== "") this.secrets.add(value);
        return value;
      }
      this.unresolved.push({ variable, pointer, message: explain(variable, pointer) });
      return reference;
    });
  }

  /** Every string in a map of strings, lists and plain values. */
  map<T extends object>(map: T, pointer: string): T {
    const members = Object.entries(map).map(([key, value]) => [key, this.#value(value, `${pointer}/${escape(key)}`)]);
    return Object.fromEntries(members) as T;
  }

  #value(value: unknown, pointer: string): unknown {
    if (typeof value === "string") return this.text(value, pointer);
    return Array.isArray(value) ? value.map((item, index) => this.#value(item, `${pointer}/${index}`)) : value;
  }
}

const escape = (key: string): string => key.replaceAll("~", "~0").replaceAll("/", "~1");

const explain = (variable: string, pointer: string): string =>
  WITHHELD.test(variable)
    ? `${pointer}: ${variable} is the host's own and is not given to bundles; keep the value in a variable of another name`
    : `${pointer}: the environment variable ${variable} is not set; set it and start again`;

/** `pointer` is the entry's own, such as `/bundles/2`. */
export const resolveSecrets = (entry: BundleEntry, env: Environment, pointer: string): ResolvedEntry => {
  const resolver = new Resolver(env);
  const resolved =
    entry.kind === "url"
      ? { ...entry, transport: resolveTransport(resolver, entry.transport, `${pointer}/transport`) }
      : {
          ...entry,
          env: resolver.map(entry.env, `${pointer}/env`),
          userConfig: resolver.map(entry.userConfig, `${pointer}/userConfig`),
        };
  const { unresolved, secrets } = resolver;
  return unresolved.length === 0 ? { ok: true, entry: resolved, secrets: [...secrets] } : { ok: false, unresolved };
};

const resolveTransport = (
  resolver: Resolver,
  transport: UrlEntry["transport"],
  pointer: string,
): UrlEntry["transport"] => ({
  ...transport,
  auth: resolver.map(transport.auth, `${pointer}/auth`),
  headers: resolver.map(transport.headers, `${pointer}/headers`),
});
