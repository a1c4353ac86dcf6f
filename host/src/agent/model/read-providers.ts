/**
 * Reads which providers of models there are: `providers` of the configuration, what `model` adds in the short form, and
 * `anthropic`, which is always there. A provider that cannot be called is listed with the sentence that says why.
 */
import type { Config } from "@bailiwick/contract";
import { ANTHROPIC_URL, type ModelProvider, type Wire } from "./model-provider.ts";

export type ModelConfig = Pick<Config, "model" | "providers" | "defaultModel">;
export type Environment = Readonly<Record<string, string | undefined>>;

interface Entry {
  readonly name: string;
  readonly wire: Wire;
  readonly apiKey: string | undefined;
  readonly baseURL: string | undefined;
  readonly headers: Readonly<Record<string, string>>;
  /** The key of the configuration that holds it. */
  readonly place: string;
}

const KEY_VARIABLE = "ANTHROPIC_API_KEY";
const REFERENCE = /\$\{env:([^}]*)\}/g;
const ONE_REFERENCE = /^\$\{env:([^}]*)\}$/;
/** What an HTTP header can carry. */
const HEADER_VALUE = /^[\x20-\x7e\x80-\xff]*$/;

export const readProviders = (config: ModelConfig, env: Environment): ReadonlyMap<string, ModelProvider> => {
  const providers = new Map<string, ModelProvider>();
  for (const [name, { type, apiKey, baseURL, headers }] of Object.entries(config.providers)) {
    const entry: Entry = { name, wire: type, apiKey, baseURL, headers, place: `providers.${name}` };
    providers.set(name, finish(resolveReferences(entry, env), env));
  }
  const short = readShortForm(config);
  if (short !== null && !providers.has(short.name)) providers.set(short.name, finish({ ...short, missing: null }, env));
  if (!providers.has("anthropic"))
    providers.set("anthropic", finish({ ...BARE, place: "providers.anthropic", missing: null }, env));
  return providers;
};

const BARE: Entry = {
  name: "anthropic",
  wire: "anthropic",
  apiKey: undefined,
  baseURL: undefined,
  headers: {},
  place: "model",
};

/** `model` describes a provider of its own if that is Anthropic's or has an address; else it only names one. */
const readShortForm = ({ model }: ModelConfig): Entry | null => {
  const { provider: name, apiKey, baseURL } = model;
  if (name === "anthropic") return { ...BARE, apiKey, baseURL };
  return baseURL === undefined ? null : { ...BARE, name, wire: "openai-compatible", apiKey, baseURL };
};

interface ResolvedEntry extends Entry {
  /** The sentence about a variable that is not set; null: all are. */
  readonly missing: string | null;
  /** The variable that holds the key, where it comes from one. */
  readonly variable?: string | undefined;
}

const resolveReferences = (entry: Entry, env: Environment): ResolvedEntry => {
  let missing: string | null = null;
  const resolve = (text: string, key: string): string =>
    text.replace(REFERENCE, (reference, variable: string) => {
      const value = Object.hasOwn(env, variable) ? env[variable] : undefined;
      if (value !== undefined) return value;
      missing ??= `The environment variable ${variable}, which ${entry.place}.${key} names, is not set: set it and start the host again.`;
      return reference;
    });
  const { apiKey, baseURL } = entry;
  const headers = Object.entries(entry.headers).map(([name, value]) => [
    name,
    resolve(value, `headers.${name}`).trim(),
  ]);
  return {
    ...entry,
    apiKey: apiKey === undefined ? undefined : resolve(apiKey, "apiKey"),
    baseURL: baseURL === undefined ? undefined : resolve(baseURL, "baseURL"),
    headers: Object.fromEntries(headers) as Record<string, string>,
    variable: ONE_REFERENCE.exec(apiKey ?? "")?.[1],
    missing,
  };
};

const finish = (entry: ResolvedEntry, env: Environment): ModelProvider => {
  const { name, wire, headers, place } = entry;
  // Only the provider of that name gets the variable: another endpoint of the same wire is somebody else.
  const fallback = name === "anthropic" && wire === "anthropic" ? env[KEY_VARIABLE]?.trim() : undefined;
  const given = entry.apiKey?.trim() ?? "";
  const apiKey = given === "" ? (fallback ?? "") : given;
  const keyPlace = given !== "" || fallback === undefined ? (entry.variable ?? `${place}.apiKey`) : KEY_VARIABLE;
  const baseURL = (entry.baseURL ?? (wire === "anthropic" ? ANTHROPIC_URL : "")).replace(/\/+$/, "");
  const provider = { name, wire, baseURL, apiKey: apiKey === "" ? null : apiKey, keyPlace, headers };
  return { ...provider, fault: entry.missing ?? findFault(provider, place) };
};

const findFault = (provider: Omit<ModelProvider, "fault">, place: string): string | null => {
  const { name, wire, apiKey, baseURL, keyPlace, headers } = provider;
  if (wire === "anthropic" && apiKey === null) {
    const variable = name === "anthropic" ? `the environment variable ${KEY_VARIABLE}, or ` : "";
    return `There is no key for the model provider "${name}": set ${variable}"${place}.apiKey" in bailiwick.json, and start the host again.`;
  }
  if (apiKey !== null && !HEADER_VALUE.test(apiKey)) {
    return `The key in ${keyPlace} holds characters that cannot be sent in a header: set it again, on one line.`;
  }
  const unfit = Object.entries(headers).find(([, value]) => !HEADER_VALUE.test(value));
  if (unfit !== undefined) {
    return `The value of "${place}.headers.${unfit[0]}" in bailiwick.json cannot be sent in a header: set it again, on one line.`;
  }
  if (baseURL === "") return `The model provider "${name}" has no address: set "${place}.baseURL" in bailiwick.json.`;
  const url = URL.parse(baseURL);
  if (url === null || !/^https?:$/.test(url.protocol) || url.hostname === "") {
    return `"${place}.baseURL" in bailiwick.json is no http: or https: URL: correct it.`;
  }
  if (url.username !== "" || url.password !== "") {
    return `"${place}.baseURL" in bailiwick.json holds a user name or a password: move it to "apiKey" or "headers".`;
  }
  return null;
};
