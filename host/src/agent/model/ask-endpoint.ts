/**
 * Asks the endpoint of the default model for its list of models, which costs nothing on either wire: whether it is there,
 * and takes the key. No model is called.
 */
import { guardFetch } from "./guard-fetch.ts";
import type { ModelsOptions } from "./create-models.ts";
import { hostOf, type ModelProvider } from "./model-provider.ts";
import { readProviders } from "./read-providers.ts";
import { selectModel } from "./select-model.ts";

export interface EndpointSeen {
  readonly provider: string;
  readonly host: string;
  /** Where its key is set, never the key. */
  readonly keyPlace: string;
  /** Of its answer; null: there was none. */
  readonly status: number | null;
}

const LONGEST_MS = 5_000;
const ANTHROPIC_VERSION = "2023-06-01";

/** Only for a default model that nothing keeps from being called. */
export const askEndpoint = async (options: ModelsOptions): Promise<EndpointSeen> => {
  const { config, env, fetch = globalThis.fetch } = options;
  const providers = readProviders(config, env);
  const { provider } = selectModel(config.defaultModel, { providers, defaultProvider: config.model.provider });
  return {
    provider: provider.name,
    host: hostOf(provider),
    keyPlace: provider.keyPlace,
    status: await statusOf(provider, guardFetch(fetch)),
  };
};

const statusOf = async (provider: ModelProvider, fetch: typeof globalThis.fetch): Promise<number | null> => {
  try {
    const signal = AbortSignal.timeout(LONGEST_MS);
    const response = await fetch(`${provider.baseURL}/models`, { headers: headersOf(provider), signal });
    await response.body?.cancel();
    return response.status;
  } catch {
    // What it says may hold the address with all that is in it.
    return null;
  }
};

const headersOf = ({ wire, apiKey, headers }: ModelProvider): Record<string, string> => {
  if (wire === "anthropic") return { "x-api-key": apiKey ?? "", "anthropic-version": ANTHROPIC_VERSION, ...headers };
  return apiKey === null ? { ...headers } : { authorization: `Bearer ${apiKey}`, ...headers };
};
