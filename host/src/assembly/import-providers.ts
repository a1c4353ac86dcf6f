/** Providers of models in a foreign configuration, without the secrets that stand in them. Pure. */
import { isObject } from "../kernel/is-object.ts";
import { looksSecret } from "../kernel/looks-secret.ts";
import { addressFault } from "./import-address.ts";
import { type ImportVariables, variableName } from "./import-variables.ts";

type Json = Readonly<Record<string, unknown>>;

export interface PlainSetting {
  readonly value: unknown;
  /** What does not come along. */
  readonly notes: readonly string[];
}

/** `${env:NAME}` and nothing else, at most after the name of a scheme. */
const REFERENCE = /^(?:\w+\s+)?\$\{env:[^}]*\}$/;

/** `providers` with references in place of secrets. */
export const plainProviders = (given: unknown, variables: ImportVariables): PlainSetting => {
  if (!isObject(given)) return { value: given, notes: [] };
  const notes: string[] = [];
  const kept: [string, unknown][] = [];
  for (const [name, provider] of Object.entries(given)) {
    const fault = isObject(provider) ? faultOf(provider) : null;
    if (fault === null) kept.push([name, isObject(provider) ? withReferences(name, provider, variables) : provider]);
    else notes.push(`without the provider ${name}: ${fault}`);
  }
  return { value: Object.fromEntries(kept), notes };
};

/** `model`, which has no place for a reference: its key is a variable of its own. */
export const plainModel = (given: unknown): PlainSetting => {
  if (!isObject(given)) return { value: given, notes: [] };
  const { apiKey, baseURL, ...rest } = given;
  const fault = faultOf(given);
  return {
    value: { ...rest, ...(baseURL === undefined || fault !== null ? {} : { baseURL }) },
    notes: [
      ...(apiKey === undefined ? [] : ["without its key; set ANTHROPIC_API_KEY instead"]),
      ...(fault === null ? [] : [`without its baseURL: ${fault}`]),
    ],
  };
};

const faultOf = ({ baseURL }: Json): string | null =>
  typeof baseURL === "string" && URL.canParse(baseURL) ? addressFault(baseURL) : null;

const withReferences = (name: string, provider: Json, variables: ImportVariables): Json => {
  const refer = (where: string, wanted: string, value: string): string =>
    variables.refer({
      bundle: `model provider ${name}`,
      where: `providers ${name} ${where}`,
      name: `${variableName(name)}_${wanted}`,
      value,
      forModel: true,
    });
  const { apiKey, headers } = provider;
  const isLiteral = typeof apiKey === "string" && apiKey !== "" && !REFERENCE.test(apiKey);
  const plainHeader = ([key, value]: [string, unknown]): readonly [string, unknown] =>
    typeof value === "string" && looksSecret(key, value)
      ? [key, refer(`header ${key}`, variableName(key), value)]
      : [key, value];
  return {
    ...provider,
    ...(isLiteral ? { apiKey: refer("apiKey", "API_KEY", apiKey) } : {}),
    ...(isObject(headers) ? { headers: Object.fromEntries(Object.entries(headers).map(plainHeader)) } : {}),
  };
};
